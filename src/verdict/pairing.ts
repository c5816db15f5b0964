import type { Outcome } from '../model/episode-record.ts';

/** What pairing needs of an episode; an EpisodeRecord fits. */
export interface PairableEpisode {
  readonly suite: string;
  readonly taskId: number;
  readonly initStateId: number;
  readonly runIndex: number;
  readonly outcome: Outcome;
  readonly steps: number | null;
  readonly position: number;
}

/** Both arms' outcomes on the same (suite, task, initial state, run index). */
export interface Pair {
  readonly key: string;
  readonly taskId: number;
  readonly initStateId: number;
  readonly runIndex: number;
  /** Planned position of the candidate's cell. */
  readonly position: number;
  readonly candidate: boolean;
  readonly baseline: boolean;
  /** Simulator steps, null when unknown. */
  readonly candidateSteps: number | null;
  readonly baselineSteps: number | null;
}

/** What a difference is computed from. */
export type PairOutcomes = Pick<Pair, 'taskId' | 'initStateId' | 'candidate' | 'baseline'>;

/** A planned pair without two valid outcomes, and why. */
interface LostPair {
  readonly key: string;
  readonly taskId: number;
  readonly candidate: Outcome | 'absent' | null;
  readonly baseline: Outcome | 'absent' | null;
}

export interface Pairing {
  /** Pairs the plan asks for: the candidate's planned cells. */
  readonly planned: number;
  readonly plannedPerTask: readonly (readonly [taskId: number, planned: number])[];
  readonly pairs: readonly Pair[];
  readonly lost: readonly LostPair[];
  /** Keys that occur twice in one arm, e.g. `candidate libero_goal t1-i0-r0`. */
  readonly duplicates: readonly string[];
  /** Baseline episodes outside the plan: ignored, counted. */
  readonly unusedBaseline: number;
}

/** A planned pair's key without its arm. */
export interface PairKey {
  readonly suite: string;
  readonly taskId: number;
  readonly initStateId: number;
  readonly runIndex: number;
}

type TimeoutsAs = 'error' | 'failure';

/** `libero_goal t1-i0-r0`. */
export function pairKey(cell: PairKey): string {
  return `${cell.suite} t${cell.taskId}-i${cell.initStateId}-r${cell.runIndex}`;
}

/**
 * Success, failure, or null when the outcome is no verdict on the policy.
 * Wall-clock timeouts count as failures only when the plan says so (`timeouts-as: failure`).
 */
export function validOutcome(outcome: Outcome, timeoutsAs: TimeoutsAs): boolean | null {
  if (outcome === 'success') return true;
  if (outcome === 'failure') return false;
  return outcome === 'timed_out' && timeoutsAs === 'failure' ? false : null;
}

interface PairingInput {
  /** The candidate's planned cells, in planned order. */
  readonly planned: readonly PairKey[];
  readonly candidate: readonly PairableEpisode[];
  readonly baseline: readonly PairableEpisode[];
  readonly timeoutsAs: TimeoutsAs;
}

/**
 * Joins the arms by (suite, task, initial state, run index). Order of the records does not matter: pairs come in
 * planned order. A planned pair that lacks a valid outcome on either side is lost, never guessed.
 */
export function pairEpisodes({ planned, candidate, baseline, timeoutsAs }: PairingInput): Pairing {
  const left = indexByKey(candidate, 'candidate');
  const right = indexByKey(baseline, 'baseline');
  const pairs: Pair[] = [];
  const lost: LostPair[] = [];
  const perTask = new Map<number, number>();
  let used = 0;
  planned.forEach((cell, position) => {
    perTask.set(cell.taskId, (perTask.get(cell.taskId) ?? 0) + 1);
    const key = pairKey(cell);
    const other = right.byKey.get(key);
    if (other !== undefined) used += 1;
    const joined = joinArms(left.byKey.get(key), other, timeoutsAs);
    if ('candidateSteps' in joined) pairs.push({ ...keyParts(cell), key, position, ...joined });
    else lost.push({ key, taskId: cell.taskId, ...joined });
  });
  return {
    planned: planned.length,
    plannedPerTask: [...perTask].sort((a, b) => a[0] - b[0]),
    pairs,
    lost,
    duplicates: [...left.duplicates, ...right.duplicates].sort(),
    unusedBaseline: right.byKey.size - used,
  };
}

type Joined = Pick<Pair, 'candidate' | 'baseline' | 'candidateSteps' | 'baselineSteps'>;
type Unjoined = Pick<LostPair, 'candidate' | 'baseline'>;

function joinArms(
  left: PairableEpisode | undefined,
  right: PairableEpisode | undefined,
  timeoutsAs: TimeoutsAs,
): Joined | Unjoined {
  const candidate = left === undefined ? null : validOutcome(left.outcome, timeoutsAs);
  const baseline = right === undefined ? null : validOutcome(right.outcome, timeoutsAs);
  if (candidate === null || baseline === null) {
    return {
      candidate: candidate === null ? (left?.outcome ?? 'absent') : null,
      baseline: baseline === null ? (right?.outcome ?? 'absent') : null,
    };
  }
  return { candidate, baseline, candidateSteps: left?.steps ?? null, baselineSteps: right?.steps ?? null };
}

function keyParts({ taskId, initStateId, runIndex }: PairKey): Omit<PairKey, 'suite'> {
  return { taskId, initStateId, runIndex };
}

/** Fixes, regressions and totals of a set of pairs. */
export function countPairs(pairs: readonly Pair[]): {
  n: number;
  both: number;
  fixed: number;
  regressed: number;
  neither: number;
} {
  const counts = { n: pairs.length, both: 0, fixed: 0, regressed: 0, neither: 0 };
  for (const pair of pairs) {
    if (pair.candidate && pair.baseline) counts.both += 1;
    else if (pair.candidate) counts.fixed += 1;
    else if (pair.baseline) counts.regressed += 1;
    else counts.neither += 1;
  }
  return counts;
}

/** Pairs grouped by task id, in task order. */
export function pairsByTask<P extends Pick<Pair, 'taskId'>>(pairs: readonly P[]): Map<number, P[]> {
  const groups = new Map<number, P[]>();
  for (const pair of pairs) {
    const group = groups.get(pair.taskId);
    if (group === undefined) groups.set(pair.taskId, [pair]);
    else group.push(pair);
  }
  return new Map([...groups].sort((a, b) => a[0] - b[0]));
}

function indexByKey(
  episodes: readonly PairableEpisode[],
  arm: string,
): { byKey: Map<string, PairableEpisode>; duplicates: Set<string> } {
  const byKey = new Map<string, PairableEpisode>();
  const duplicates = new Set<string>();
  for (const episode of episodes) {
    const key = pairKey(episode);
    if (byKey.has(key)) duplicates.add(`${arm} ${key}`);
    else byKey.set(key, episode);
  }
  return { byKey, duplicates };
}
