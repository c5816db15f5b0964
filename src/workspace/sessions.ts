import { textOrNull } from '../base/guards.ts';
import type { Problem } from '../errors/rb-error.ts';
import { appliedDialect, type Dialect, type Reading } from './dialect.ts';
import { findDialect } from './find-dialect.ts';
import { loadYaml, YamlError } from './pyyaml.ts';
import {
  checkList,
  duplicateProblems,
  type Entry,
  entryName,
  issueProblem,
  type ListDocument,
  type Parsed,
  readSource,
  type Source,
  yamlProblem,
} from './runtime-document.ts';
import { isTerminal, type JuneSession, SESSION_SHAPES, type SessionStatus } from './session-shape.ts';
import { check, isMapping } from './shape.ts';

/** One entry of SESSIONS.md, with the runtime's defaults filled in. */
interface SessionEntry {
  readonly sessionId: string;
  readonly status: SessionStatus;
  readonly goalId: string | null;
  readonly parentSessionId: string | null;
  /** Without the scheme (`target://`), as the runtime looks it up. */
  readonly targetId: string;
  readonly skillruntimeId: string;
  readonly taskDescription: string;
  readonly priority: 'low' | 'normal' | 'high';
  /** As written, with or without a zone; the runtime writes UTC. */
  readonly createdAt: string | null;
  readonly updatedAt: string | null;
  /** Milliseconds since 1970; null when `updatedAt` is null or unreadable. */
  readonly updatedAtMs: number | null;
  readonly claimedBy: string | null;
  readonly executeTimeoutS: number;
  readonly policyTimeoutS: number;
  readonly maxRetries: number;
  readonly retriesDone: number;
  readonly targetEndpoint: string | null;
  readonly policyEndpoint: string | null;
  readonly maxPolicyCalls: number;
  /** The mode of a verification contract, null without one. */
  readonly verificationMode: string | null;
  readonly result: SessionResult;
  /** The entry as it stands in the document, keys and all. */
  readonly raw: Record<string, unknown>;
  /** Position in the document. */
  readonly index: number;
}

interface SessionResult {
  readonly status: string | null;
  readonly success: boolean | null;
  readonly numSteps: number | null;
  readonly artifactDir: string | null;
  readonly errorCode: string | null;
  readonly errorMessage: string | null;
  readonly metadata: Record<string, unknown>;
}

export interface SessionsDocument {
  readonly sessions: readonly SessionEntry[];
  /** Which runtime wrote or will read it; null when nothing tells. */
  readonly dialect: Dialect | null;
}

function kindFor(reading: Reading): ListDocument<JuneSession> {
  return {
    file: 'SESSIONS.md',
    version: 'runtime_sessions_v1',
    list: 'sessions',
    id: 'session_id',
    // Everything June has, the later ones have too.
    entry: SESSION_SHAPES[appliedDialect(reading)] as ListDocument<JuneSession>['entry'],
    reading,
  };
}

/**
 * Reads SESSIONS.md and says everything the runtime would refuse it for, and what would block or mislead it.
 * @param reading left out: as the document itself tells, else the strictest.
 */
export function parseSessions(source: Source, reading?: Reading): Parsed<SessionsDocument> {
  const read = readSource(source, 'SESSIONS.md');
  if ('problem' in read) return { document: null, problems: [read.problem] };
  const known = reading ?? findDialect({ sessions: read.raw });
  const kind = kindFor(known);
  const parsed = checkList(read.raw, kind);
  if (parsed.document === null) return { document: null, problems: parsed.problems };
  const sessions = parsed.document.map(sessionEntry);
  const twins = duplicateProblems(parsed.document, kind, (first, second) =>
    twinAdvice(first.value, second.value),
  );
  return { document: { sessions, dialect: known.dialect }, problems: [...parsed.problems, ...twins] };
}

function twinAdvice(
  first: { readonly status: string },
  second: { readonly status: string },
): Pick<Problem, 'consequence' | 'severity' | 'fix'> {
  if (isTerminal(second.status)) {
    const consequence =
      'Only the first one is ever looked at; a run that reads results by id may take the wrong one.';
    return { consequence, severity: 'warning', fix: 'Remove one of the two.' };
  }
  const now = isTerminal(first.status);
  return {
    consequence: `The watchdog ${now ? 'picks' : 'will pick'} this entry, acts on the first one and blocks every session of the same or a lower priority behind it.`,
    severity: 'fatal',
    fix: 'Rename this entry or remove it.',
  };
}

/** Reads the text of one entry, as a scan cut it out of the document (a list with one item). */
export function parseSessionSlice(
  slice: string,
  index: number,
  dialect: Dialect = 'august',
): Parsed<SessionEntry> {
  const kind = kindFor({ dialect, by: null, conflict: null });
  let item: unknown;
  try {
    const list = loadYaml(slice);
    item = Array.isArray(list) && list.length === 1 ? list[0] : null;
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    const where = `SESSIONS.md sessions[${index}]`;
    const { code, message } = yamlProblem(error, where, 1);
    return {
      document: null,
      problems: [{ code, where, message, fix: 'Mend this entry.', severity: 'fatal' }],
    };
  }
  const { value, issues } = check(kind.entry, item, []);
  const where = entryName(kind, index, item);
  const problems = issues.map((issue) => issueProblem(issue, where, { reading: kind.reading }));
  const entry = value !== null && isMapping(item) ? sessionEntry({ value, raw: item, index }) : null;
  return { document: entry, problems };
}

function sessionEntry({ value, raw, index }: Entry<JuneSession>): SessionEntry {
  const updatedAt = value.updated_at;
  const { result } = value;
  return {
    // August trims ids; June does not, and an id with blanks around it is nobody's but its writer's.
    sessionId: value.session_id,
    status: value.status,
    goalId: value.goal_id,
    parentSessionId: textOrNull(raw['parent_session_id']),
    targetId: withoutScheme(value.target_ref, 'target://'),
    skillruntimeId: withoutScheme(value.skillruntime_ref, 'skillruntime://'),
    taskDescription: value.task_description,
    priority: value.priority,
    createdAt: value.created_at,
    updatedAt,
    updatedAtMs: updatedAt === null ? null : timeMs(updatedAt),
    claimedBy: value.claimed_by,
    executeTimeoutS: value.timeouts.execute_timeout_s,
    policyTimeoutS: value.timeouts.policy_timeout_s,
    maxRetries: value.retry.max_retries,
    retriesDone: value.retry.attempted,
    targetEndpoint: value.routing.target_endpoint,
    policyEndpoint: value.routing.policy_endpoint,
    maxPolicyCalls: value.execution.max_steps,
    verificationMode: isMapping(raw['verification'])
      ? (textOrNull(raw['verification']['mode']) ?? 'off')
      : null,
    result: {
      status: result.status,
      success: result.success,
      numSteps: result.num_steps,
      artifactDir: result.artifact_dir,
      errorCode: result.error_code,
      errorMessage: result.error_message,
      metadata: result.metadata,
    },
    raw,
    index,
  };
}

function withoutScheme(ref: string, scheme: string): string {
  return ref.startsWith(scheme) ? ref.slice(scheme.length) : ref;
}

/** Milliseconds since 1970 of a time stamp of the runtime (UTC when it names no zone); null when it cannot be read. */
function timeMs(stamp: string): number | null {
  if (/^\d+(?:\.\d+)?$/.test(stamp)) return Number(stamp) * 1000;
  const zoned = /(?:[Zz]|[-+]\d\d:?\d\d)$/.test(stamp) || !/\d[T ]\d/.test(stamp) ? stamp : `${stamp}Z`;
  const ms = Date.parse(zoned.replace(' ', 'T'));
  return Number.isNaN(ms) ? null : ms;
}
