import { randomSource } from '../../../src/base/random.ts';
import { type Comparison, comparisonDocument } from '../../../src/report/policies/document.ts';
import { comparePolicies } from '../../../src/verdict/many-policies.ts';
import { cellsOf, simulated } from '../verdict/many-policies-builder.ts';

/** A comparison of simulated policies of these names, from good to bad. */
export function comparisonOf(names: readonly string[]): Comparison {
  const cells = cellsOf({ tasks: 2, states: 30 });
  const quality = names.map((_, at) => 0.95 - (0.8 * at) / names.length);
  const identities = names.map((name, at) => ({
    name,
    policyRef: name,
    checkpointDigest: null,
    runId: `r${at}`,
    attempt: 1,
    bundles: ['a'.repeat(64)],
    grade: 'exploratory' as const,
  }));
  const frame = {
    tool: { version: '0.1.0' },
    benchmark: 'libero',
    suite: 'libero_goal',
    tasks: 2,
    states: 60,
    cells: 60,
    notes: [{ code: 'protocol_unestablished', text: 'Not established that all runs agree in: gl_renderer.' }],
  };
  return comparisonDocument(
    frame,
    identities,
    comparePolicies(cells, simulated(cells, quality, randomSource(3))),
  );
}
