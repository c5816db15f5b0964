import { EXIT, type Problem, RbError } from '../../errors/rb-error.ts';
import type { Inputs } from '../../inputs/read-inputs.ts';
import type { EpisodeRecord } from '../../outcome/episode-record.ts';
import type { Plan } from '../../plan/plan.ts';
import { type PreparedBaseline, prepareRecords } from '../../verdict/baseline.ts';
import { earlyStopObstacles } from '../../verdict/early-stop.ts';
import type { Fingerprint } from '../../verdict/fingerprint.ts';
import {
  recordsOfStopBaseline,
  type StopBaseline,
  stopBaselineDigest,
  stopBaselineOf,
} from '../../verdict/stop-baseline.ts';
import { ruleProblems } from '../../verdict/thresholds.ts';
import { readBaselineFile } from '../read-baseline-file.ts';

/** A recorded baseline at hand while the run goes on, before any plan. */
export interface StopBaselineAtHand {
  readonly kept: StopBaseline;
  readonly digest: string;
}

/** The same, checked against a plan. */
export interface UsableStopBaseline {
  readonly kept: StopBaseline;
  readonly prepared: PreparedBaseline;
  readonly records: readonly EpisodeRecord[];
}

/**
 * The baseline by local path that an early stop may compare with; null when there is none with cells (no early stop,
 * `auto`, a published count): then only floors can stop the run.
 * @throws RbError RB612 (exit 2) for a path that is absent or cannot be read: the run would end INVALID. RB605 for
 * several suites: a baseline belongs to one.
 */
export async function stopBaselineAtHand(
  inputs: Inputs,
  suites: readonly string[],
): Promise<StopBaselineAtHand | null> {
  const { baseline, earlyStop } = inputs;
  if (!earlyStop || baseline.kind !== 'path') return null;
  if (suites.length > 1) {
    throw refused('RB605', {
      where: 'input early-stop',
      value: suites.join(', '),
      message: 'a baseline by path belongs to one suite, but several are asked for.',
      fix: 'Run one suite at a time, or leave early-stop out.',
    });
  }
  const file = await readBaselineFile(baseline.path);
  if (file.kind === 'counts') return null;
  if (file.kind === 'records') {
    const kept = stopBaselineOf(file.recorded);
    return { kept, digest: stopBaselineDigest(kept) };
  }
  throw refused('RB612', {
    where: 'input baseline',
    value: baseline.path,
    message: file.kind === 'absent' ? 'nothing is there.' : `the baseline cannot be read: ${file.why}.`,
    fix: 'Name a bundle folder or episodes.jsonl on this host.',
  });
}

/** What is wrong with a plan's rules before anything runs: floors out of reach, an early stop that cannot be. Pure. */
export function planProblems(plan: Plan, shards: number): Problem[] {
  const floors = ruleProblems(plan.thresholds, plannedEpisodes(plan));
  if (plan.earlyStop !== true) return floors;
  const baselineAtHand = plan.stopBaseline !== undefined;
  const obstacles = earlyStopObstacles(plan, { shards, baselineAtHand });
  return [
    ...floors,
    ...obstacles.map(
      (why): Problem => ({
        code: 'RB605',
        where: 'input early-stop',
        message: `the run cannot stop early: ${why}.`,
        fix: 'Leave early-stop out, or give a floor, a baseline by local path, or baseline-endpoint, without shards.',
        severity: 'fatal',
      }),
    ),
  ];
}

/** Episodes of the candidate: all, and of the task with the fewest. */
function plannedEpisodes({ cells, tasks }: Plan): { overall: number; perTask: number } {
  const own = cells.filter(({ arm }) => arm === 'candidate');
  const counts = new Map(tasks.map(({ taskId }) => [taskId, 0]));
  for (const { taskId } of own) counts.set(taskId, (counts.get(taskId) ?? 0) + 1);
  return { overall: own.length, perTask: Math.min(...counts.values()) };
}

/** @throws RbError RB602, RB605 (exit 2), all of them at once. */
export function requireSoundPlan(plan: Plan, shards: number): void {
  const problems = planProblems(plan, shards);
  if (problems.length > 0) throw new RbError(EXIT.usage, problems);
}

/**
 * Checks the baseline at hand against the plan before anything is queued.
 * @throws RbError RB612 (exit 2) when the verdict could only be INVALID: another suite or protocol, duplicates, no cell
 * in common.
 */
export function usableStopBaseline(
  plan: Plan,
  fingerprint: Fingerprint,
  atHand: StopBaselineAtHand | null,
): UsableStopBaseline | null {
  if (atHand === null) return null;
  const recorded = recordsOfStopBaseline(atHand.kept, plan.benchmark);
  const prepared = prepareRecords(plan, fingerprint, recorded);
  const why = whyUnusable(prepared);
  if (why === null) return { kept: atHand.kept, prepared, records: recorded.records };
  throw refused('RB612', {
    where: 'input baseline',
    value: atHand.kept.name,
    message: `an early stop cannot compare with it. ${why}`,
    fix: 'Name a baseline of the same suite and protocol, or leave early-stop out.',
  });
}

function whyUnusable({ baseline }: PreparedBaseline): string | null {
  if (baseline.kind === 'refused') return baseline.reasons.map(({ text }) => text).join(' ');
  if (baseline.kind !== 'records' || baseline.differing.length === 0) return null;
  return `The protocol differs in ${baseline.differing.join(', ')}.`;
}

function refused(code: 'RB605' | 'RB612', problem: Omit<Problem, 'code' | 'severity'>): RbError {
  return new RbError(EXIT.usage, [{ code, ...problem, severity: 'fatal' }]);
}
