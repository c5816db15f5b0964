import { publishedCopy } from '../../bundle/published-copy.ts';
import type { SuiteDrift } from '../../history/drift.ts';
import type { RunFacts } from '../../model/run-facts.ts';
import { type Decision, type Reason, uniqueReasons } from '../../model/verdict.ts';
import { comparisonReport } from '../../report/view/comparison-view.ts';
import type { Audience } from '../../report/view/endpoint.ts';
import type { ComparisonReport, PagePlace, ReportInput } from '../../report/view/report-input.ts';
import { type ReportView, reportView } from '../../report/view/report-view.ts';
import type { Measurement } from '../../results/measurement.ts';
import type { GivenAnchor } from '../../verdict/anchor.ts';
import type { PreparedBaseline } from '../../verdict/baseline.ts';
import { type Assessment, assess } from '../../verdict/from-records.ts';
import { withHeldOut } from '../../verdict/held-out-decision.ts';
import type { PairableEpisode } from '../../verdict/pairing.ts';
import { proofReasons } from '../../verdict/policy-proof.ts';
import { keptBaseline, runWarnings, unfitReasons } from '../../verdict/run-decision.ts';
import type { AverageOfSuites } from '../../verdict/several-suites.ts';

/** A suite with its final verdict and everything a rendering needs. */
export interface AssessedSuite {
  readonly measurement: Measurement;
  readonly assessment: Assessment;
  readonly decision: Decision;
  readonly comparison: ComparisonReport | null;
  /** The mean of all suites of the report that it was judged with; null without one. */
  readonly average: AverageOfSuites | null;
  /** Where the run stands in the course of its branch; null without a history. */
  readonly drift: SuiteDrift | null;
  /** Ways out of its page; left out where nothing is published. */
  readonly page?: PagePlace;
  /** The measurement as everybody may read it, made when it is first asked for. */
  readonly published: () => ReturnType<typeof publishedCopy>;
  /** Episodes of a baseline from another run; null otherwise. */
  readonly baselineRecords: readonly PairableEpisode[] | null;
}

/**
 * The verdict on a measurement by its plan's rules, against the baseline that was prepared for it. Pure.
 * @param given null: the run's own baseline arm, or nothing.
 * @param more the anchor beside the baseline, and warnings found elsewhere, which are carried through.
 */
export function assessSuite(
  measurement: Measurement,
  given: PreparedBaseline | null,
  { anchor, warnings = [] }: { anchor?: GivenAnchor | undefined; warnings?: readonly Reason[] } = {},
): AssessedSuite {
  const { plan, records, run } = measurement;
  const baseline = given ?? keptBaseline(measurement);
  const runs = runsOf(measurement);
  const changed = new Set(runs.flatMap(({ arms }) => arms.flatMap((arm) => arm.changed ?? [])));
  const assessment = assess(plan, records, {
    ...(baseline === null ? {} : { baseline: baseline.baseline }),
    anchor,
    samePolicy: isSamePolicy(measurement, baseline),
    unplanned: runs.some(({ evidenceClass }) => evidenceClass === 'unplanned'),
    stoppedAt: measurement.results.earlyStop?.stopped?.prefix,
    policyChanged: changed.size === 0 ? undefined : [...changed].join('; '),
    unfit: [
      ...proofReasons(plan, records),
      ...uniqueReasons(runs.flatMap((each) => unfitReasons(plan, each, baseline))),
    ],
    warnings: [...(baseline?.warnings ?? []), ...runWarnings(plan, records, run), ...warnings],
  });
  return {
    measurement,
    assessment,
    decision: finalDecision(assessment.decision, measurement),
    comparison: comparisonReport(assessment),
    average: null,
    drift: null,
    published: once(() => publishedCopy(measurement)),
    baselineRecords:
      assessment.paired !== null && baseline?.baseline.kind === 'records' ? baseline.baseline.records : null,
  };
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** The suite with another verdict on its public cells; held-out cells and what is wrong with its parts stay. Pure. */
export function withDecision(suite: AssessedSuite, decision: Decision): AssessedSuite {
  return { ...suite, decision: finalDecision(decision, suite.measurement) };
}

function finalDecision(decision: Decision, measurement: Measurement): Decision {
  return withHeldOut(withInvalid(decision, measurement), measurement.plan, measurement.heldOut ?? null);
}

/** The runs of all shards: what is wrong with one of them is wrong with the whole. */
function runsOf({ run, parts }: Measurement): readonly RunFacts[] {
  return parts.length > 1 ? parts.map((part) => part.run) : [run];
}

/** Two runs of one declared checkpoint; names and metadata may stay while a checkpoint changes. */
function isSamePolicy({ run }: Measurement, baseline: PreparedBaseline | null): boolean {
  const own = run.arms.find(({ arm }) => arm === 'candidate')?.checkpointDigest ?? null;
  return own !== null && own === baseline?.checkpoint;
}

/** Parts that must not be put together make every number of them meaningless. */
function withInvalid(decision: Decision, { invalid }: Measurement): Decision {
  if (invalid.length === 0) return decision;
  const others = decision.verdict === 'INVALID' ? decision.reasons : [];
  return { verdict: 'INVALID', reasons: [...invalid, ...others], warnings: decision.warnings };
}

/** What the renderings of a suite are made from. Pure. */
export function renderingOf(suite: AssessedSuite, audience: Audience, bundleDir: string | null): ReportInput {
  const { measurement, decision, comparison, average } = suite;
  const { results, records } = audience === 'published' ? suite.published() : measurement;
  const heldOut = measurement.heldOut ?? null;
  return {
    results,
    records,
    decision,
    provisional: false,
    audience,
    bundleDir,
    comparison,
    heldOut,
    average,
    ...(suite.page === undefined ? {} : { page: suite.page }),
  };
}

export function viewOf(suite: AssessedSuite, audience: Audience, bundleDir: string | null): ReportView {
  return reportView(renderingOf(suite, audience, bundleDir));
}
