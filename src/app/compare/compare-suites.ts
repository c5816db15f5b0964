import { EXIT, type Problem, problemOf, RbError } from '../../errors/rb-error.ts';
import { VERSION } from '../../platform/version.ts';
import {
  type Comparison,
  type ComparisonOfSuites,
  comparisonDocument,
  type PolicyIdentity,
} from '../../report/policies/document.ts';
import type { Measurement } from '../../results/measurement.ts';
import { candidateCells, outcomesOf } from '../../verdict/comparable.ts';
import { comparePolicies, type SharedCell } from '../../verdict/many-policies.ts';
import { compareMeasurements, named, publicFacts, sameCells } from './compare-measurements.ts';

/**
 * The comparison of policies, of each the measurements of all its suites. Of several suites the table of their mean comes
 * first; it and the tables of the suites share the error. Pure.
 * @throws RbError RB670, RB671 and RB675 (exit 3), all at once.
 */
export function compareSuites(policies: readonly (readonly Measurement[])[]): ComparisonOfSuites {
  const suites = [...new Set(policies.flat().map(({ plan }) => plan.suite))].sort();
  if (suites.length < 2) return compareMeasurements(policies.flat());
  const absent = policies.flatMap((runs) => absentSuites(runs, suites));
  if (absent.length > 0) throw new RbError(EXIT.refused, absent);
  const bySuite = suites.map((suite) => policies.flatMap((runs) => runs.filter(isOf(suite))));
  const problems: Problem[] = [];
  const tables = bySuite.flatMap((runs): Comparison[] => {
    try {
      return [compareMeasurements(runs, suites.length + 1)];
    } catch (error) {
      if (!(error instanceof RbError)) throw error;
      problems.push(...error.problems);
      return [];
    }
  });
  if (problems.length > 0) throw new RbError(EXIT.refused, problems);
  return { ...meanTable(bySuite, tables), suites: tables };
}

function isOf(suite: string): (measurement: Measurement) => boolean {
  return ({ plan }) => plan.suite === suite;
}

function absentSuites(runs: readonly Measurement[], suites: readonly string[]): Problem[] {
  const absent = suites.filter((suite) => !runs.some(isOf(suite)));
  const [first] = runs;
  if (absent.length === 0 || first === undefined) return [];
  const { identity } = publicFacts(first);
  return [
    problemOf('RB675', {
      where: identity.policyRef ?? `run ${identity.runId}`,
      message: 'the bundles of this policy are not of all suites that others ran.',
      value: `absent: ${absent.join(', ')}`,
    }),
  ];
}

/** Every suite weighs the same, and so do its tasks among themselves. */
function meanTable(bySuite: readonly (readonly Measurement[])[], tables: readonly Comparison[]): Comparison {
  const parts = bySuite.map((runs) => {
    const [first] = runs;
    if (first === undefined) throw new Error('a suite without runs');
    return { runs, plan: first.plan, cells: candidateCells(first.plan) };
  });
  const weights = new Map<number, number>();
  const cells: SharedCell[] = [];
  for (const { cells: own } of parts) {
    const known = [...new Set(own.map(({ taskId }) => taskId))];
    const places = new Map(known.map((taskId, at) => [taskId, weights.size + at]));
    for (const place of places.values()) weights.set(place, 1 / known.length);
    cells.push(...own.map((cell) => ({ ...cell, taskId: places.get(cell.taskId) ?? cell.taskId })));
  }
  const count = parts[0]?.runs.length ?? 0;
  const runsOf = (policy: number): Measurement[] => parts.flatMap(({ runs }) => runs[policy] ?? []);
  const identities = named(Array.from({ length: count }, (_, policy) => identityOf(runsOf(policy))));
  const policies = identities.map(({ name }, policy) => ({
    name,
    outcomes: parts.flatMap(({ runs, cells: own }) => {
      const run = runs[policy];
      return run === undefined ? [] : outcomesOf(own, run.records, run.plan.timeoutsAs);
    }),
  }));
  const notes = new Map(tables.flatMap((table) => table.notes).map((note) => [note.text, note]));
  const frame = {
    tool: { version: VERSION },
    benchmark: [...new Set(parts.map(({ plan }) => plan.benchmark))].join(', '),
    suite: `mean of ${parts.map(({ plan }) => plan.suite).join(', ')}`,
    ...sameCells(cells),
    tables: parts.length + 1,
    notes: [...notes.values()],
  };
  const weightOf = (taskId: number): number => weights.get(taskId) ?? 1;
  return comparisonDocument(
    frame,
    identities,
    comparePolicies(cells, policies, { tables: parts.length + 1, weightOf }),
  );
}

/** The policy of several runs: what the first says of it, the bundles of all, and the weakest grade. */
function identityOf(runs: readonly Measurement[]): Omit<PolicyIdentity, 'name'> {
  const all = runs.map((run) => publicFacts(run).identity);
  const [first] = all;
  if (first === undefined) throw new Error('a policy without runs');
  const grade = all.every((each) => each.grade === 'qualified') ? 'qualified' : 'exploratory';
  return { ...first, bundles: all.flatMap(({ bundles }) => bundles), grade };
}
