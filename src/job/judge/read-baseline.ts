import type { Baseline as AcceptedBaseline } from '../../history/baseline.ts';
import type { Inputs } from '../../inputs/read-inputs.ts';
import type { Reason } from '../../model/verdict.ts';
import type { Measurement } from '../../results/measurement.ts';
import { type PreparedBaseline, prepareCount, prepareRecords } from '../../verdict/baseline.ts';
import { keptBaseline } from '../../verdict/run-decision.ts';
import { readBaselineFile, recordsOfAccepted } from '../runs/read-baseline-file.ts';
import { RUN_ID } from '../runs/scan-runs.ts';

/** What the base branch has for a suite. `note` says why there can be none; null: there is none yet. */
type Accepted =
  | { readonly kind: 'accepted'; readonly baseline: AcceptedBaseline }
  | { readonly kind: 'unreadable'; readonly why: string }
  | { readonly kind: 'none'; readonly note: string | null };
export type AcceptedLookup = (suite: string) => Promise<Accepted>;

/**
 * What a measurement is held against. A *named* baseline that is absent or unusable makes the verdict INVALID; `auto`
 * without an accepted one leaves the floors alone, with a note. A run that could stop early is held against the
 * baseline it was looked at with. Null: the run's own baseline arm, or nothing.
 */
export async function baselineFor(
  measurement: Measurement,
  wanted: Inputs['baseline'],
  accepted: AcceptedLookup,
): Promise<PreparedBaseline | null> {
  const { plan } = measurement;
  if (plan.arms.includes('baseline')) return null;
  const kept = keptBaseline(measurement);
  if (kept !== null) return kept;
  switch (wanted.kind) {
    case 'none':
      return { baseline: { kind: 'none', note: null }, warnings: [] };
    case 'same':
      return { baseline: { kind: 'none', note: NO_SECOND }, warnings: [] };
    case 'count':
      return fromCount(measurement, wanted);
    case 'path':
      return fromPath(measurement, wanted.path);
    case 'auto':
      return fromBranch(measurement, await accepted(plan.suite));
  }
}

const NO_SECOND = 'baseline: same holds a policy against itself, and this run is of one alone.';

function fromCount(
  { plan, run }: Measurement,
  { successes, n, note }: Extract<Inputs['baseline'], { kind: 'count' }>,
): PreparedBaseline {
  const name = `the published count ${successes}/${n}`;
  const counted = { name, suite: plan.suite, successes, n, fingerprint: null };
  const prepared = prepareCount(plan, run.fingerprint, counted);
  const said = note === null ? [] : [{ code: 'claim_ambiguous', text: note }];
  return { ...prepared, warnings: [...said, ...prepared.warnings] };
}

function fromBranch({ plan, run }: Measurement, found: Accepted): PreparedBaseline {
  if (found.kind === 'unreadable') return refused('the accepted baseline', found.why);
  if (found.kind === 'none') {
    const { minSuccessRate, minTaskSuccessRate } = plan.thresholds;
    const floors = minSuccessRate !== null || minTaskSuccessRate !== null;
    const note = floors ? 'No accepted baseline yet: only floors decide.' : 'No accepted baseline yet.';
    return { baseline: { kind: 'none', note: found.note ?? note }, warnings: [] };
  }
  const { branch, commit, runId } = found.baseline.header;
  const name = `${branch} at ${commit === null ? runId : commit.slice(0, 10)}`;
  return prepareRecords(plan, run.fingerprint, recordsOfAccepted(found.baseline, name));
}

async function fromPath({ plan, run }: Measurement, given: string): Promise<PreparedBaseline> {
  const file = await readBaselineFile(given, plan.suite);
  switch (file.kind) {
    case 'absent':
      return { baseline: { kind: 'absent', name: given }, warnings: byPathOnly(given) };
    case 'unreadable':
      return refused(file.name, file.why);
    case 'records':
      return prepareRecords(plan, run.fingerprint, file.recorded);
    case 'counts':
      return prepareCount(plan, run.fingerprint, file.counted);
  }
}

/** Who has just measured against a run by its id gives the id here too; a report knows no host to look it up on. */
function byPathOnly(given: string): Reason[] {
  if (!RUN_ID.test(given)) return [];
  const text = `A report takes a baseline by its path. If ${given} is the id of a run, name its attempt folder: artifacts/rollout-bench/${given}/attempt-N of the workspace.`;
  return [{ code: 'baseline_by_path', text }];
}

function refused(name: string, why: string): PreparedBaseline {
  const text = `The baseline cannot be read: ${why.slice(0, 300)}.`;
  return {
    baseline: { kind: 'refused', name, reasons: [{ code: 'baseline_unreadable', text }] },
    warnings: [],
  };
}
