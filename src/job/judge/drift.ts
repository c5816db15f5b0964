import type { BranchSnapshot } from '../../github/branch-snapshot.ts';
import { problemsOf } from '../../github/failure.ts';
import { type Baseline, baselinePath, parseBaseline } from '../../history/baseline.ts';
import { driftOf, expectedFor, type SuiteDrift } from '../../history/drift.ts';
import { type HistoryRecord, recordKey } from '../../history/history-record.ts';
import { historyPath, parseHistory } from '../../history/merge.ts';
import { validOutcome } from '../../verdict/pairing.ts';
import type { AssessedSuite } from './assess-suite.ts';
import { type HistoryPlace, historyRecordOf } from './history-record.ts';

/**
 * Looks at a run as the newest of its branch. Null where there is nothing to look at: no report branch, or a history
 * that cannot be read, which the publisher reports.
 */
export async function suiteDrift(
  suite: AssessedSuite,
  place: HistoryPlace,
  snapshot: BranchSnapshot,
): Promise<SuiteDrift | null> {
  const own = historyRecordOf(suite, place);
  if (own === null) return null;
  try {
    const history = historyPath(own.suite, place.branch);
    const accepted = baselinePath(own.suite, place.branch);
    return driftAmong(own, {
      earlier: parseHistory(history, await snapshot.read(history)),
      baseline: parseBaseline(accepted, await snapshot.read(accepted)),
      timeoutsAs: suite.measurement.plan.timeoutsAs,
    });
  } catch (error) {
    if (problemsOf(error) === null) throw error;
    return null;
  }
}

interface Course {
  readonly earlier: readonly HistoryRecord[];
  readonly baseline: Baseline | null;
  readonly timeoutsAs: 'error' | 'failure';
}

/** Pure. */
export function driftAmong(own: HistoryRecord, { earlier, baseline, timeoutsAs }: Course): SuiteDrift {
  const others = earlier.filter((record) => recordKey(record) !== recordKey(own));
  const expected = expectedFor(inForce(baseline, timeoutsAs), others.at(-1), own);
  const { alarm, tooEarly } = driftOf([...others, { ...own, expected }]);
  // Elsewhere than on a schedule nobody waits for a drift.
  return { expected, alarm, tooEarly: own.purpose === 'schedule' ? tooEarly : null };
}

function inForce(
  baseline: Baseline | null,
  timeoutsAs: Course['timeoutsAs'],
): Parameters<typeof expectedFor>[0] {
  if (baseline === null) return null;
  const { header, cells } = baseline;
  const outcomes = cells.map(({ outcome }) => validOutcome(outcome, timeoutsAs));
  return {
    name: header.runId,
    successes: outcomes.filter((outcome) => outcome === true).length,
    valid: outcomes.filter((outcome) => outcome !== null).length,
    planned: cells.length,
    acceptedBy: header.acceptedBy,
  };
}

/** The suite with its drift: an alarm is a warning of the report, and never part of the verdict. Pure. */
export function withDrift(suite: AssessedSuite, drift: SuiteDrift | null): AssessedSuite {
  if (drift === null) return suite;
  const { decision } = suite;
  const said = [drift.alarm, drift.tooEarly].filter((reason) => reason !== null);
  const warnings = [...decision.warnings, ...said];
  return { ...suite, drift, decision: { ...decision, warnings } };
}
