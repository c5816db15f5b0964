import { isMapping } from '../workspace/shape.ts';
import { entryText } from './entry-text.ts';
import { equalValues } from './equality.ts';
import { type QueueEntry, type QueueSnapshot, standing } from './machine/snapshot.ts';

/** What became of somebody else's entries between two looks at SESSIONS.md; ids in the order of the document. */
interface ForeignChanges {
  /** Entries that were compared. */
  readonly compared: number;
  /** Finished before, and saying something else now. */
  readonly rewritten: readonly string[];
  readonly disappeared: readonly string[];
  /** In an earlier state than before, without a retry. */
  readonly movedBack: readonly string[];
}

/**
 * Holds somebody else's entries against what they were: finished ones are byte for byte the same, none is gone, the
 * others only moved forward. Null when one of the documents cannot be read. Pure; entries are parsed only where their
 * text differs.
 */
export function foreignChanges(
  before: QueueSnapshot,
  after: QueueSnapshot,
  isOurs: (id: string) => boolean,
): ForeignChanges | null {
  if (before.fault !== null || after.fault !== null) return null;
  const foreign = [...before.byId.values()].filter(({ id }) => !isOurs(id));
  const found = (tell: (entry: QueueEntry, now: QueueEntry) => boolean): string[] =>
    foreign
      .filter((entry) => {
        const now = after.byId.get(entry.id);
        return now !== undefined && tell(entry, now);
      })
      .map(({ id }) => id);
  return {
    compared: foreign.length,
    rewritten: found((entry, now) => standing(entry.status) === 'terminal' && !isSame(entry, now)),
    disappeared: foreign.filter(({ id }) => !after.byId.has(id)).map(({ id }) => id),
    movedBack: found((entry, now) => standing(entry.status) !== 'terminal' && isBehind(entry, now)),
  };
}

function isSame(before: QueueEntry, now: QueueEntry): boolean {
  if (entryText(before).trimEnd() === entryText(now).trimEnd()) return true;
  // An entry that somebody wrote by hand is laid out anew by the runtime's next write of the document.
  return before.status === now.status && isKept(before.body(), now.body());
}

/**
 * Keys that the runtime never drops while they have a value. It does drop keys it does not know, and it adds the
 * defaults of those that were left out.
 */
const NEVER_DROPPED: ReadonlySet<string> = new Set([
  'session_id',
  'goal_id',
  'target_ref',
  'skillruntime_ref',
  'task_description',
  'status',
  'created_at',
  'updated_at',
  'result',
  'success',
  'num_steps',
  'return_value',
  'mean_policy_latency_ms',
  'artifact_dir',
  'error_code',
  'error_message',
  'final_status',
]);

/** Does `now` still say what `before` said? */
function isKept(before: unknown, now: unknown): boolean {
  if (before === null || equalValues(before, now)) return true;
  if (Array.isArray(before)) {
    return (
      Array.isArray(now) &&
      now.length === before.length &&
      before.every((item, index) => isKept(item, now[index]))
    );
  }
  if (!isMapping(before)) return isSameScalar(before, now);
  if (!isMapping(now)) return false;
  return Object.entries(before).every(([key, value]) =>
    key in now ? isKept(value, now[key]) : value === null || !NEVER_DROPPED.has(key),
  );
}

const STAMP = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d/;

/** The runtime writes whole numbers as floats and a time stamp in its own way. */
function isSameScalar(before: unknown, now: unknown): boolean {
  const left = plainText(before);
  const right = plainText(now);
  if (left === null || right === null) return false;
  if (left === right) return true;
  if (STAMP.test(left) && STAMP.test(right)) return Date.parse(left) === Date.parse(right);
  return left.trim() !== '' && Number(left) === Number(right);
}

function plainText(value: unknown): string | null {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
    return String(value);
  if (typeof value !== 'object' || value === null) return null;
  if ('text' in value) return String(value.text);
  return 'value' in value ? String(value.value) : null;
}

/** Order of the states that do not end a session; those of one rank may follow each other either way. */
const RANKS: ReadonlyMap<string, number> = new Map([
  ['pending', 0],
  ['claimed', 1],
  ['preflight_checking', 2],
  ['running', 3],
  ['finalizing', 4],
  ['cancelling', 4],
  ['awaiting_verification', 5],
  ['verifying', 5],
  ['awaiting_replan', 5],
]);

function isBehind(before: QueueEntry, now: QueueEntry): boolean {
  const from = RANKS.get(before.status);
  const to = RANKS.get(now.status);
  if (from === undefined || to === undefined || to >= from) return false;
  // The runtime itself goes back to pending for a retry, and says so in the entry.
  return !(now.status === 'pending' && retries(now.body()) > retries(before.body()));
}

function retries(body: unknown): number {
  const retry = isMapping(body) ? body.retry : null;
  const attempted = isMapping(retry) ? Number(retry.attempted ?? 0) : 0;
  return Number.isFinite(attempted) ? attempted : 0;
}
