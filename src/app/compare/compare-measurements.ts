import { textRedactor } from '../../bundle/redact.ts';
import { redactedFacts } from '../../bundle/redact-bundle.ts';
import { EXIT, type Problem, problemOf, RbError } from '../../errors/rb-error.ts';
import type { Reason } from '../../model/verdict.ts';
import { VERSION } from '../../platform/version.ts';
import { type Comparison, comparisonDocument, type PolicyIdentity } from '../../report/policies/document.ts';
import type { Measurement } from '../../results/measurement.ts';
import {
  type ComparableRun,
  candidateCells,
  knownOfBoth,
  outcomesOf,
  type RunDifference,
  runDifference,
} from '../../verdict/comparable.ts';
import { comparePolicies, type SharedCell } from '../../verdict/many-policies.ts';
import { gradeOf, SESSION_EVIDENCE } from '../../verdict/release.ts';

/**
 * The comparison of measurements that ran the same cells under one protocol. Names are as everybody may read them. Pure.
 * @param tables that are read together and share the error.
 * @throws RbError RB670 for other cells and RB671 for another protocol, each by name (exit 3).
 */
export function compareMeasurements(measurements: readonly Measurement[], tables = 1): Comparison {
  const differences = differencesOf(measurements);
  const [first] = measurements;
  if (first === undefined) throw new Error('nothing to compare');
  const { plan } = first;
  const cells = candidateCells(plan);
  const identities = named(measurements.map((each) => publicFacts(each).identity));
  const policies = measurements.map((each, at) => ({
    name: identities[at]?.name ?? '',
    outcomes: outcomesOf(cells, each.records, each.plan.timeoutsAs),
  }));
  const frame = {
    tool: { version: VERSION },
    benchmark: plan.benchmark,
    suite: plan.suite,
    ...sameCells(cells),
    ...(tables === 1 ? {} : { tables }),
    notes: notesOf(measurements, differences),
  };
  return comparisonDocument(frame, identities, comparePolicies(cells, policies, { tables }));
}

/** Every run against all that is known of those before it; all that differs is refused at once. */
function differencesOf(measurements: readonly Measurement[]): RunDifference[] {
  const unmatched = measurements.flatMap(unmatchedProblems);
  if (unmatched.length > 0) throw new RbError(EXIT.refused, unmatched);
  const [first, ...others] = measurements.map(
    ({ plan, run }): ComparableRun & { readonly runId: string } => ({
      tasks: plan.tasks,
      cells: candidateCells(plan),
      fingerprint: {
        ...run.fingerprint,
        suite: plan.suite,
        benchmark: plan.benchmark,
        ...(plan.cellsBy === undefined ? {} : { cells_by: plan.cellsBy }),
      },
      runId: run.runId,
    }),
  );
  if (first === undefined) return [];
  let reference = first;
  const differences = others.map((other) => {
    const difference = { ...runDifference(reference, other), runId: other.runId };
    reference = { ...reference, fingerprint: knownOfBoth(reference.fingerprint, other.fingerprint) };
    return difference;
  });
  const problems = differences.flatMap((each) => differenceProblems(each, first.runId));
  if (problems.length > 0) throw new RbError(EXIT.refused, problems);
  return differences;
}

/** Episodes that nothing tells apart cannot be set side by side, whatever their numbers. */
function unmatchedProblems({ plan, run }: Measurement): Problem[] {
  if (plan.cellsBy !== 'order' && plan.cellsBy !== 'count') return [];
  return [
    problemOf('RB913', {
      where: `run ${run.runId}`,
      message:
        'its episodes are not known to be of the same initial states as those of others, and policies are compared on the same ones.',
      value: run.imported?.title ?? plan.suite,
      fix: 'Compare two of them by their counts: rollout-bench report <results> --baseline <results>. Where the tool’s version tells the initial states, import with --init-states.',
    }),
  ];
}

/** The problems that a difference is for whoever compares. Pure. */
export function differenceProblems(
  { cells, protocol, runId }: RunDifference & { readonly runId: string },
  reference: string,
): Problem[] {
  const problem = (code: 'RB670' | 'RB671', message: string, fix: string): Problem => {
    return { code, where: `run ${runId}`, message, fix, severity: 'fatal' };
  };
  return [
    ...(cells === null
      ? []
      : [
          problem(
            'RB670',
            `it ran other cells than ${reference}: ${cells}.`,
            'Measure every policy with the same tasks, initial states and repeats.',
          ),
        ]),
    ...(protocol.length === 0
      ? []
      : [
          problem(
            'RB671',
            `its protocol is not that of ${reference}; it differs in ${protocol.join(', ')}.`,
            'Measure every policy with the same settings on the same simulator.',
          ),
        ]),
  ];
}

/** How many of each a comparison is about. */
export function sameCells(cells: readonly SharedCell[]): { tasks: number; states: number; cells: number } {
  return {
    tasks: new Set(cells.map(({ taskId }) => taskId)).size,
    states: new Set(cells.map(({ taskId, initStateId }) => `${taskId} ${initStateId}`)).size,
    cells: cells.length,
  };
}

/** Policy and protocol as everybody may read them: what a user declared may hold paths and addresses. */
export function publicFacts(measurement: Measurement): {
  readonly identity: Omit<PolicyIdentity, 'name'>;
  readonly fingerprint: Readonly<Record<string, unknown>>;
} {
  const { plan, parts } = measurement;
  const run = redactedFacts(measurement.run, textRedactor([]));
  const arm = run.arms.find((each) => each.arm === 'candidate');
  return {
    identity: {
      policyRef: arm?.policyRef ?? null,
      checkpointDigest: arm?.checkpointDigest ?? null,
      runId: run.runId,
      attempt: run.attempt,
      bundles: parts.map(({ manifestSha256 }) => manifestSha256),
      grade: gradeOf(run, plan),
    },
    fingerprint: { ...run.fingerprint, suite: plan.suite, benchmark: plan.benchmark },
  };
}

const SHORT_DIGEST = 19;

/** Reference, else checkpoint, else run; two of one name get what tells them apart. */
export function named(identities: readonly Omit<PolicyIdentity, 'name'>[]): PolicyIdentity[] {
  const names = identities.map(({ policyRef, checkpointDigest, runId }) => {
    return (policyRef ?? checkpointDigest?.slice(0, SHORT_DIGEST) ?? runId).slice(0, 900);
  });
  return identities.map((identity, at) => {
    const name = names[at] ?? identity.runId;
    const alone = names.indexOf(name) === names.lastIndexOf(name);
    const more = identity.checkpointDigest?.slice(0, SHORT_DIGEST) ?? identity.runId;
    return { ...identity, name: alone ? name : `${name} (${more})` };
  });
}

function notesOf(measurements: readonly Measurement[], differences: readonly RunDifference[]): Reason[] {
  const unestablished = [...new Set(differences.flatMap((each) => each.unestablished))];
  const collected = measurements.filter(({ run }) => run.evidenceClass === 'unplanned').length;
  const notes: Reason[] = measurements.flatMap((each) => each.notes ?? []);
  if (unestablished.length > 0) {
    const text = `Not established that all runs agree in: ${unestablished.join(', ')} (not recorded in at least one of them).`;
    notes.push({ code: 'protocol_unestablished', text });
  }
  if (collected > 0) {
    const text = `${collected} of ${measurements.length} runs were collected from sessions that others queued: nobody planned their cells.`;
    notes.push({ code: 'unplanned', text });
  }
  if (measurements.some(({ plan }) => plan.evidence !== undefined)) {
    notes.push({ code: 'session_evidence', text: SESSION_EVIDENCE });
  }
  return notes;
}
