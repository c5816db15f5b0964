import type { Outcome } from '../../model/episode-record.ts';
import type { Judgement } from '../../model/journal-events.ts';
import { isRetryable } from '../../outcome/classify.ts';
import { isLive, isUnweighed, type RunMemory, type SessionMemory } from './run-memory.ts';

export interface AdmissionRules {
  /** Most sessions of ours pending or running at once. */
  readonly queueWindow: number;
  /** Further sessions of a cell after infrastructure errors. */
  readonly retryErrors: number;
}

/**
 * A session that the queue itself lost (entry vanished, cell target overwritten) says nothing about the cell, so it
 * gets a new one whatever `retry-errors` says; this often and no more, lest two programs fight for ever.
 */
const QUEUE_FAULTS_PER_CELL = 3;

/**
 * `done`: its outcome stands. `live`: a session is in the queue. `unweighed`: its last one ended in a connection error,
 * and whether that counts is not known yet. `retry` and `new` wait for a session.
 */
type CellStanding = 'new' | 'live' | 'unweighed' | 'retry' | 'done';

/** Where a cell stands after all that happened to its sessions. */
export function cellStanding(memory: RunMemory, position: number, rules: AdmissionRules): CellStanding {
  const sessions = memory.sessionsOf(position);
  if (sessions.some((session) => isLive(session) || session.phase === 'settled')) return 'live';
  const judged = sessions.filter((session) => session.judgement !== null);
  const last = judged.at(-1);
  if (last === undefined) return 'new';
  if (isUnweighed(last)) return 'unweighed';
  return mayRetry(judged, last, rules) ? 'retry' : 'done';
}

function mayRetry(judged: readonly SessionMemory[], last: SessionMemory, rules: AdmissionRules): boolean {
  if (isQueueFault(last)) return judged.filter(isQueueFault).length <= QUEUE_FAULTS_PER_CELL;
  if (!isRetryable(outcomeOf(last))) return false;
  const counted = judged.filter((session) => !isQueueFault(session) && session.weighed !== 'given_back');
  return counted.length <= rules.retryErrors;
}

/** Did the queue fail rather than the episode? */
function isQueueFault(session: SessionMemory): boolean {
  return session.judgement?.outcome === 'lost';
}

/** Was a session refused because somebody's older TARGETS.md had replaced ours? That is the queue's fault too. */
export function isMissingCellTarget(session: SessionMemory, judgement: Judgement): boolean {
  if (judgement.outcome !== 'rejected') return false;
  return (judgement.errorMessage ?? '').includes(`target not found: ${session.cellTarget}`);
}

export const UNHEARD = 'the relay to its policy ended with the attempt that queued it';

/** Did the session lose its policy because our own process ended? Neither the host nor the cell is at fault. */
export function isUnheard(session: SessionMemory, { outcome }: Judgement, attempt: number): boolean {
  return session.relay !== null && session.fromAttempt < attempt && outcome === 'error';
}

function outcomeOf(session: SessionMemory): Outcome {
  return session.judgement?.outcome ?? 'not_run';
}

/**
 * Positions to queue now: retries before new cells, both in planned order, until the window is full.
 * @param positions the cells of this run (a shard has not all), in planned order.
 */
export function nextAdmissions(
  memory: RunMemory,
  positions: readonly number[],
  rules: AdmissionRules,
): readonly number[] {
  const free = rules.queueWindow - memory.open().filter(isLive).length;
  if (free <= 0) return [];
  const retries: number[] = [];
  const fresh: number[] = [];
  for (const position of positions) {
    const standing = cellStanding(memory, position, rules);
    if (standing === 'retry') retries.push(position);
    else if (standing === 'new') fresh.push(position);
  }
  return [...retries, ...fresh].slice(0, free);
}

/** Is every cell done and every session of ours out of the queue? */
export function isFinished(memory: RunMemory, positions: readonly number[], rules: AdmissionRules): boolean {
  return positions.every((position) => cellStanding(memory, position, rules) === 'done');
}

/** Outcomes that say the host, not the policy, is at fault. */
const INFRASTRUCTURE: ReadonlySet<Outcome> = new Set(['error', 'rejected', 'mismatch', 'missing']);

/**
 * Infrastructure errors in a row at the end of the record; a valid episode or a timeout ends the row (a timeout proves
 * that target and policy answered).
 */
export function consecutiveErrors(judged: readonly SessionMemory[]): number {
  let row = 0;
  for (let at = judged.length - 1; at >= 0; at -= 1) {
    const session = judged[at];
    if (session === undefined) break;
    const outcome = outcomeOf(session);
    if (outcome === 'success' || outcome === 'failure' || outcome === 'timed_out') break;
    if (INFRASTRUCTURE.has(outcome)) row += 1;
  }
  return row;
}
