import { type Problem, problemOf } from '../errors/rb-error.ts';
import type { Reason } from '../model/verdict.ts';
import type { Part } from './measurement.ts';

/** The parts of one suite that count, and what to say about those that do not. */
interface ChosenParts {
  readonly parts: readonly Part[];
  readonly notes: readonly Reason[];
}

/** Parts that could be put together: one plan, cut in one way. */
interface Family {
  readonly digest: string;
  readonly parts: readonly Part[];
  /** The newest attempt of the workflow run among them; 0 outside of workflows. */
  readonly attempt: number;
  readonly notes: readonly Reason[];
}

/**
 * Which bundles of a suite count. Artifacts of a workflow run stay when it is run again, perhaps with other inputs: of
 * its attempts the newest that is complete counts, and the others are named. Bundles of different plans or with cells
 * in common that are no such attempts are refused. Pure; the order of the parts cannot matter.
 */
export function chooseParts(suite: string, group: readonly Part[]): ChosenParts | Problem {
  const families = familiesOf(group);
  const [only, ...others] = families;
  if (only !== undefined && others.length === 0) return overlapOf(suite, only.parts) ?? only;
  const attempts = [...new Set(families.map(({ attempt }) => attempt))].toSorted((a, b) => b - a);
  if (isOneWorkflowRun(group)) {
    for (const attempt of attempts) {
      const whole = families.filter((family) => family.attempt === attempt && isWhole(family.parts));
      const [chosen, ...rivals] = whole;
      if (rivals.length > 0) return unclear(suite, families, 'two-jobs');
      if (chosen !== undefined)
        return { parts: chosen.parts, notes: [setAside(chosen, families), ...chosen.notes] };
    }
    return unclear(suite, families, 'none-complete');
  }
  return unclear(suite, families, 'unrelated');
}

function groupedBy<K>(parts: readonly Part[], key: (part: Part) => K): ReadonlyMap<K, Part[]> {
  const groups = new Map<K, Part[]>();
  for (const part of parts) groups.set(key(part), [...(groups.get(key(part)) ?? []), part]);
  return groups;
}

function familiesOf(group: readonly Part[]): Family[] {
  const byDigest = groupedBy(group, ({ planDigest }) => planDigest);
  return [...byDigest]
    .toSorted(([left], [right]) => (left < right ? -1 : 1))
    .flatMap(([digest, parts]) => {
      const together = familyOf(digest, parts);
      if (overlapOf('', together.parts) === null) return [together];
      // A run that was cut into other shards measured the same cells of the same plan once more.
      const byCut = groupedBy(parts, ({ run }) => run.shard?.count ?? 1);
      return [...byCut].toSorted(([left], [right]) => left - right).map(([, cut]) => familyOf(digest, cut));
    });
}

function familyOf(digest: string, group: readonly Part[]): Family {
  const counting = [...groupedBy(group, ({ run }) => run.runId).values()].flatMap((attempts) => {
    const newestFirst = attempts.toSorted(newerFirst);
    const [newest] = newestFirst;
    const counts = newestFirst.find(isComplete) ?? newest;
    return counts === undefined || newest === undefined ? [] : [{ counts, newest }];
  });
  // Parts and notes alike in an order that is theirs, not that of the files.
  counting.sort(
    ({ counts: { run: left } }, { counts: { run: right } }) =>
      (left.shard?.index ?? 0) - (right.shard?.index ?? 0) || (left.runId < right.runId ? -1 : 1),
  );
  const parts = counting.map(({ counts }) => counts);
  const notes = counting.flatMap(({ counts, newest }) =>
    counts === newest ? [] : [olderAttempt(counts, newest)],
  );
  return { digest, parts, attempt: Math.max(0, ...parts.map(workflowAttempt)), notes };
}

function olderAttempt({ run }: Part, newest: Part): Reason {
  const text = `Attempt ${newest.run.attempt} of ${run.runId} did not come to its end, so attempt ${run.attempt} counts.`;
  return { code: 'older_attempt', text };
}

/** Runs on different hosts may count their attempts alike; the workflow's own count decides first. */
function newerFirst(left: Part, right: Part): number {
  return (
    workflowAttempt(right) - workflowAttempt(left) ||
    right.run.attempt - left.run.attempt ||
    (left.manifestSha256 < right.manifestSha256 ? -1 : 1)
  );
}

function workflowAttempt({ run }: Part): number {
  const { runAttempt } = run.source;
  return typeof runAttempt === 'number' ? runAttempt : 0;
}

function isComplete({ results }: Part): boolean {
  return results.end?.kind === 'complete';
}

function isOneWorkflowRun(group: readonly Part[]): boolean {
  const ids = new Set(group.map(({ run }) => run.source['githubRunId']));
  return ids.size === 1 && typeof [...ids][0] === 'string';
}

/** All cells of the plan, each dealt with. */
function isWhole(parts: readonly Part[]): boolean {
  const measured = new Set(parts.flatMap(positionsOf));
  return parts.every(isComplete) && parts[0] !== undefined && measured.size === parts[0].plan.cells.length;
}

function positionsOf({ plan, run }: Part): readonly number[] {
  return run.positions ?? plan.cells.map((_, position) => position);
}

function overlapOf(suite: string, parts: readonly Part[]): Problem | null {
  const owner = new Map<number, string>();
  for (const part of parts) {
    for (const position of positionsOf(part)) {
      const other = owner.get(position);
      if (other !== undefined) return overlap(suite, [other, part.run.runId], position);
      owner.set(position, part.run.runId);
    }
  }
  return null;
}

function overlap(suite: string, [first, second]: readonly [string, string], position: number): Problem {
  return problemOf('RB610', {
    where: `bundles of ${suite}`,
    message: `the runs ${first} and ${second} both measured cell ${position} of the plan.`,
    fix: 'Report on one of them by `bundle`, or give the jobs that measure different names in `artifact-name` and report on one name.',
  });
}

function setAside(chosen: Family, families: readonly Family[]): Reason {
  const others = families
    .filter((family) => family !== chosen)
    .map((family) => {
      const why = family.attempt > chosen.attempt ? ', which is not complete,' : '';
      return `attempt ${family.attempt}${why} measured ${named(family)}`;
    });
  const text = `Set aside: ${others.join('; ')}. Attempt ${chosen.attempt} of the workflow run counts, with ${named(chosen)}: of several attempts it is the newest complete one.`;
  return { code: 'attempts_set_aside', text };
}

function named({ digest, parts }: Family): string {
  const count = parts[0]?.run.shard?.count ?? 1;
  return `plan ${digest.slice(0, 12)}${count === 1 ? '' : ` in ${count} shards`}`;
}

const ADVICE = {
  unrelated:
    'Report on bundles of one plan: same suite, cells, limits and thresholds. Name them in `bundle`.',
  'two-jobs':
    'Two jobs of this workflow run measure the suite differently. Give their artifacts different names by `artifact-name`, and report on each name.',
  'none-complete':
    'No attempt of this workflow run has all cells of its plan. Choose "Re-run all jobs" (not only the failed ones), so that every part is measured with the same inputs; the newest complete attempt counts then.',
} as const;

function unclear(suite: string, families: readonly Family[], why: keyof typeof ADVICE): Problem {
  const digests = [...new Set(families.map(({ digest }) => digest))];
  const samePlan = digests.length === 1;
  return {
    code: samePlan ? 'RB610' : 'RB611',
    where: `bundles of ${suite}`,
    message: samePlan
      ? 'the bundles measured the same cells of one plan more than once.'
      : 'the bundles are of different plans, which cannot be put together.',
    value: families.map((family) => `attempt ${family.attempt}: ${named(family)}`).join(', '),
    fix: ADVICE[why],
    severity: 'fatal',
  };
}
