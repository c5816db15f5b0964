import * as z from 'zod';
import { SHOWN_LEVEL } from '../../verdict/levels.ts';
import { FAMILY_ERROR, type ManyPolicies, MOST_POLICIES } from '../../verdict/many-policies.ts';

const COMPARISON_SCHEMA_ID = 'rollout-bench/comparison/1';

const count = z.int().min(0);
const digest = z.string().regex(/^[0-9a-f]{64}$/);
const rate = z.number().min(0).max(1).nullable();
const difference = z.number().min(-1).max(1).nullable();
const declared = z.string().max(1_000).nullable();

const comparedPolicySchema = z.strictObject({
  /** As the table calls it: its reference, or the id of its run. */
  name: z.string().max(1_000),
  policyRef: declared,
  checkpointDigest: declared,
  runId: z.string().max(200),
  attempt: z.int().positive(),
  /** sha256 of each bundle's manifest. */
  bundles: z.array(digest),
  grade: z.enum(['qualified', 'exploratory']),
  valid: count,
  successes: count,
  /** Mean of the tasks' rates with its own 95 % interval; null without a valid episode. */
  rate,
  low: rate,
  high: rate,
  /** `count`: Wilson's of the successes; `tasks`: of the mean of the tasks. Left out by an earlier version: `tasks`. */
  intervalOf: z.enum(['count', 'tasks']).optional(),
  /** Policies that share one cannot be told apart; null where there are too many groups for letters. */
  groups: z.array(z.string()).nullable(),
});
export type ComparedPolicy = z.infer<typeof comparedPolicySchema>;

/** Differences are the first's rate less the second's. */
const comparedPairSchema = z.strictObject({
  /** Indexes into `policies`. */
  first: count,
  second: count,
  /** Cells with a valid outcome of both. */
  cells: count,
  onlyFirst: count,
  onlySecond: count,
  difference,
  /** Tango's interval at a level of 1 − 5 % / pairs of all tables. */
  low: difference,
  high: difference,
  /** Two-sided, of this pair alone. */
  p: z.number().min(0).max(1),
  /** Holm's over all pairs, times the tables: what decides. */
  adjustedP: z.number().min(0).max(1),
  different: z.boolean(),
});
export type ComparedPair = z.infer<typeof comparedPairSchema>;

const tableSchema = z.strictObject({
  schema: z.literal(COMPARISON_SCHEMA_ID),
  tool: z.strictObject({ version: z.string() }),
  benchmark: z.string(),
  suite: z.string(),
  tasks: count,
  /** Pairs of task and initial state: the units of every test. */
  states: count,
  /** Cells of each policy. */
  cells: count,
  level: z.number(),
  /** Chance that any pair of equal policies is called different, over all pairs of all tables. */
  familyError: z.number(),
  /** Tables that share the error: one for each suite and one for their mean. Left out: this is the only one. */
  tables: z.int().min(2).optional(),
  policies: z.array(comparedPolicySchema).max(MOST_POLICIES),
  pairs: z.array(comparedPairSchema),
  notes: z.array(z.strictObject({ code: z.string(), text: z.string() })),
});
/** Policies on the same cells, best first. Unknown is null. */
export type Comparison = z.infer<typeof tableSchema>;

/** comparison.json: one table; of several suites that of their mean, each with the same weight, and one for each suite. */
export const comparisonSchema = tableSchema.extend({ suites: z.array(tableSchema).min(2).optional() });
export type ComparisonOfSuites = z.infer<typeof comparisonSchema>;

/** What a policy is called and where its numbers are from. */
export type PolicyIdentity = Pick<
  ComparedPolicy,
  'name' | 'policyRef' | 'checkpointDigest' | 'runId' | 'attempt' | 'bundles' | 'grade'
>;

type ComparisonFrame = Pick<
  Comparison,
  'tool' | 'benchmark' | 'suite' | 'tasks' | 'states' | 'cells' | 'notes' | 'tables'
>;

/** The document of a comparison. `identities` has the policies in the order in which they were given. Pure. */
export function comparisonDocument(
  frame: ComparisonFrame,
  identities: readonly PolicyIdentity[],
  { policies, pairs }: ManyPolicies,
): Comparison {
  return {
    schema: COMPARISON_SCHEMA_ID,
    ...frame,
    level: SHOWN_LEVEL,
    familyError: FAMILY_ERROR,
    policies: policies.flatMap(({ given, interval, groups, ...numbers }) => {
      const identity = identities[given];
      if (identity === undefined) return [];
      const ends = { low: interval?.low ?? null, high: interval?.high ?? null };
      return [{ ...identity, ...numbers, ...ends, groups: groups === null ? null : [...groups] }];
    }),
    pairs: pairs.map(({ interval, adjusted, ...pair }) => ({
      ...pair,
      low: interval?.low ?? null,
      high: interval?.high ?? null,
      adjustedP: adjusted,
    })),
  };
}
