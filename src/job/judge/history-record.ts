import { textOrNull } from '../../base/guards.ts';
import { BASELINE_SCHEMA_ID, type Baseline, type BaselineHeader } from '../../history/baseline.ts';
import { HISTORY_SCHEMA_ID, type HistoryRecord } from '../../history/history-record.ts';
import type { NewAnchor } from '../../history/publication.ts';
import type { ArmResult } from '../../model/results.ts';
import type { Measurement } from '../../results/measurement.ts';
import { fingerprintDigest } from '../../verdict/fingerprint.ts';
import { gradeOf } from '../../verdict/release.ts';
import type { AssessedSuite } from './assess-suite.ts';
import type { EventFacts } from './ref-standing.ts';

const MAX_LANGUAGE = 1000;

/** Where a measurement belongs in the history. */
export interface HistoryPlace {
  readonly branch: string;
  readonly commit: string | null;
  readonly event: string | null;
  readonly pullRequest: number | null;
  readonly runUrl: string | null;
  /** UTC, ISO 8601; used where the run itself does not say when it was sealed. */
  readonly now: string;
}

/** The line of `history/<suite>/<branch>.jsonl` for a suite; null when it has no candidate arm. Pure. */
export function historyRecordOf(suite: AssessedSuite, place: HistoryPlace): HistoryRecord | null {
  const { measurement, decision } = suite;
  const { results, run, planDigest } = measurement;
  const arm = candidateOf(measurement);
  if (arm === null) return null;
  const { outcomes, successRate } = arm;
  return {
    schema: HISTORY_SCHEMA_ID,
    runId: run.runId,
    attempt: run.attempt,
    benchmark: results.benchmark,
    suite: results.suite,
    branch: place.branch,
    commit: place.commit,
    event: place.event,
    pullRequest: place.pullRequest,
    purpose: results.purpose,
    finishedAt: run.sealedAt ?? place.now,
    verdict: decision.verdict,
    planDigest,
    bundleSha256: bundleHash(measurement),
    policy: policyName(measurement),
    target: run.target.id,
    skillruntime: results.skillruntime,
    simulator: textOrNull(run.fingerprint.simulator),
    planned: arm.planned,
    recorded: arm.recorded,
    valid: arm.valid,
    successes: successRate.k,
    rate: successRate.rate,
    low: successRate.low,
    high: successRate.high,
    errors: arm.planned - arm.valid - outcomes.not_run - outcomes.after_stop - outcomes.timed_out,
    timedOut: outcomes.timed_out,
    meanStepsSuccessful: arm.stepsSuccessful.mean,
    fingerprint: fingerprintDigest(run.fingerprint),
    expected: suite.drift?.expected ?? null,
    ...(results.evidence === undefined ? {} : { evidence: results.evidence }),
    runUrl: place.runUrl,
    tasks: arm.tasks.map((task) => ({
      taskId: task.taskId,
      language: task.language.slice(0, MAX_LANGUAGE),
      successes: task.successRate.k,
      valid: task.valid,
      planned: task.planned,
    })),
  };
}

interface Acceptance {
  readonly by: BaselineHeader['acceptedBy'];
  readonly at: string;
  readonly reason: string | null;
}

/** The accepted baseline that a measurement becomes: its cells and what must be equal for a comparison. Pure. */
export function baselineOf(measurement: Measurement, place: HistoryPlace, acceptance: Acceptance): Baseline {
  const { run, results, planDigest, records } = measurement;
  const cells = records
    .filter(({ arm }) => arm === 'candidate')
    .map(({ suite, taskId, initStateId, runIndex, position, outcome, steps }) => ({
      suite,
      taskId,
      initStateId,
      runIndex,
      position,
      outcome,
      steps,
    }));
  const header: BaselineHeader = {
    schema: BASELINE_SCHEMA_ID,
    suite: results.suite,
    branch: place.branch,
    runId: run.runId,
    attempt: run.attempt,
    commit: place.commit,
    planDigest,
    bundleSha256: bundleHash(measurement),
    fingerprint: run.fingerprint,
    policy: policyName(measurement),
    checkpointDigest: checkpointOf(measurement),
    tasks: measurement.plan.tasks.map(({ taskId, language }) => ({ taskId, language })),
    ...(gradeOf(run, measurement.plan) === 'qualified' ? { qualified: true } : {}),
    ...(measurement.plan.cellsBy === undefined ? {} : { cellsBy: measurement.plan.cellsBy }),
    ...(run.evidenceClass === 'imported' ? { imported: true as const } : {}),
    acceptedAt: acceptance.at,
    acceptedBy: acceptance.by,
    reason: acceptance.reason,
    cells: cells.length,
  };
  return { header, cells };
}

/**
 * Why a measurement may become the baseline by itself: complete, PASS or without any gate, from a push or schedule on
 * its own branch. Null when it may not. Pure.
 */
export function acceptedBy(suite: AssessedSuite, event: string | null): 'push' | 'schedule' | null {
  const { decision } = suite;
  const ungated =
    decision.verdict === 'INCONCLUSIVE' && decision.reasons.every(({ code }) => code === 'no_gate');
  if (decision.verdict !== 'PASS' && !ungated) return null;
  if (!isWhole(suite)) return null;
  return event === 'push' || event === 'schedule' ? event : null;
}

/** A release that passed on all of its plan: what it shipped is what later runs are held against. Pure. */
function isPassedRelease(suite: AssessedSuite): boolean {
  return suite.decision.verdict === 'PASS' && suite.measurement.plan.purpose === 'release' && isWhole(suite);
}

/** Planned and complete. Cells that a stop left out would be missing pairs of every later run. */
function isWhole({ measurement: { results, run } }: AssessedSuite): boolean {
  if (results.earlyStop?.stopped != null) return false;
  return results.end?.kind === 'complete' && run.evidenceClass === 'planned';
}

function candidateOf({ results }: Measurement): ArmResult | null {
  return results.arms.find(({ arm }) => arm === 'candidate') ?? null;
}

/** One bundle has one hash; of several shards none speaks for the whole. */
function bundleHash({ parts }: Measurement): string | null {
  return parts.length === 1 ? (parts[0]?.manifestSha256 ?? null) : null;
}

function policyName({ run }: Measurement): string | null {
  const arm = run.arms.find((each) => each.arm === 'candidate');
  return arm?.policyRef ?? arm?.checkpointDigest ?? null;
}

/** Declared digest of the candidate's checkpoint. */
function checkpointOf({ run }: Pick<Measurement, 'run'>): string | null {
  return run.arms.find(({ arm }) => arm === 'candidate')?.checkpointDigest ?? null;
}

/** A release that passed is the anchor of the branch it was made from; else the first accepted run of a protocol is. Pure. */
export function anchorsOf(
  { suites, facts }: { readonly suites: readonly AssessedSuite[]; readonly facts: EventFacts },
  place: HistoryPlace,
): NewAnchor[] {
  return suites.flatMap((suite): NewAnchor[] => {
    const { measurement } = suite;
    const acceptance = { at: place.now, reason: null };
    if (facts.baseBranch !== null && isPassedRelease(suite)) {
      const at = { ...place, branch: facts.baseBranch };
      return [{ baseline: baselineOf(measurement, at, { ...acceptance, by: 'release' }), chosen: true }];
    }
    const by = acceptedBy(suite, facts.onBranch ? facts.event : null);
    if (by === null) return [];
    return [{ baseline: baselineOf(measurement, place, { ...acceptance, by }), chosen: false }];
  });
}
