import { idRanges } from '../base/id-ranges.ts';
import type { EpisodeRecord } from '../model/episode-record.ts';
import type { CellsBy, Plan } from '../model/plan.ts';
import type { Reason } from '../model/verdict.ts';
import type { Baseline } from './comparison.ts';
import { few } from './few.ts';
import { compareFingerprints } from './fingerprint.ts';
import { pairKey, validOutcome } from './pairing.ts';
import { impossibleValue } from './record-checks.ts';
import type { EvidenceGrade } from './release.ts';
import { type KeptTask, languageDifferences, tasksOfRecords, unknownTasks } from './task-identity.ts';

/** A baseline with an outcome per cell: an accepted run, a bundle, or an imported file. */
export interface RecordedBaseline {
  /** Declared digest of the checkpoint that was measured; left out when it is unknown. */
  readonly checkpoint?: string | undefined;
  /** How far its numbers can be trusted; left out is exploratory. */
  readonly grade?: EvidenceGrade;
  /** What its cells are told by; left out: by initial states. */
  readonly cellsBy?: CellsBy | undefined;
  /** A person accepted numbers of another tool, and this is why; left out: nobody did. */
  readonly vouched?: string | undefined;
  /** As people know it: a short commit, a path, a release. */
  readonly name: string;
  readonly records: readonly EpisodeRecord[];
  /** Null when the file carries none. */
  readonly fingerprint: Readonly<Record<string, unknown>> | null;
}

/** A baseline of which only counts are known: results.json, or a published number. */
export interface CountedBaseline {
  readonly name: string;
  readonly suite: string;
  readonly successes: number;
  readonly n: number;
  readonly fingerprint: Readonly<Record<string, unknown>> | null;
  /** Every task that was measured; left out where nobody tells. */
  readonly tasks?: readonly KeptTask[];
}

/** A baseline ready for `decideFromRecords`, and what to say about it. */
export interface PreparedBaseline {
  readonly baseline: Baseline;
  readonly warnings: readonly Reason[];
  /** As `RecordedBaseline`. */
  readonly checkpoint?: string | undefined;
  /** As `RecordedBaseline`; left out when it is not another run's records. */
  readonly grade?: EvidenceGrade;
  /** As `RecordedBaseline`. */
  readonly vouched?: string | undefined;
}

/**
 * Checks records offered as baseline of a plan. Refused: empty, of another suite or benchmark, with duplicate keys,
 * with impossible values, without any valid outcome, with none of the planned cells. Lost pairs and fingerprint
 * differences are left to the verdict, which names them.
 * @param fingerprint the candidate's.
 */
export function prepareRecords(
  plan: Plan,
  fingerprint: Readonly<Record<string, unknown>>,
  offered: RecordedBaseline,
): PreparedBaseline {
  const { name } = offered;
  if (!matchesCells(plan, offered)) return prepareUnmatched(plan, fingerprint, offered);
  const reasons = recordReasons(plan, offered);
  if (reasons.length > 0) return refusedBaseline(name, reasons);
  const theirs = offered.fingerprint ?? {};
  const { differing, unestablished } = compareFingerprints(fingerprint, theirs);
  const kept = tasksOfRecords(offered.records);
  const languages = languageDifferences(plan, kept);
  return {
    baseline: { kind: 'records', name, records: offered.records, differing: [...differing, ...languages] },
    warnings: [
      ...unestablishedWarning(name, unestablished),
      ...unknownTasks(plan, name, { kept, fingerprints: [fingerprint, theirs] }),
    ],
    checkpoint: offered.checkpoint,
    grade: offered.grade ?? 'exploratory',
    vouched: offered.vouched,
  };
}

/** Do equal numbers of cells mean the same episode on both sides? */
function matchesCells(plan: Pick<Plan, 'cellsBy'>, offered: RecordedBaseline): boolean {
  const cellsBy = plan.cellsBy ?? null;
  const theirs = offered.cellsBy ?? null;
  return cellsBy === theirs && cellsBy !== 'order' && cellsBy !== 'count';
}

/** Episodes of which nothing tells that they are the same: their counts are all that can be compared. */
function prepareUnmatched(
  plan: Plan,
  fingerprint: Readonly<Record<string, unknown>>,
  offered: RecordedBaseline,
): PreparedBaseline {
  const { name, records } = offered;
  const foreign = [...new Set(records.map(({ suite }) => suite))].filter((suite) => suite !== plan.suite);
  if (foreign.length > 0) return refusedBaseline(name, [otherSuite(name, foreign.join(', '), plan.suite)]);
  const outcomes = records.map(({ outcome }) => validOutcome(outcome, plan.timeoutsAs));
  const n = outcomes.filter((outcome) => outcome !== null).length;
  const successes = outcomes.filter((outcome) => outcome === true).length;
  const lost = outcomes.length - n;
  const counted = {
    name: `${name} (${successes}/${n}, unpaired)`,
    suite: plan.suite,
    successes,
    n,
    fingerprint: offered.fingerprint,
    tasks: tasksOfRecords(records),
  };
  const prepared = prepareCount(plan, fingerprint, counted);
  const text = `Unpaired: which initial states the episodes of both sides began in is not known to be the same, so only their counts are compared.`;
  const losses: Reason[] =
    lost === 0
      ? []
      : [
          {
            code: 'baseline_lost',
            text: `${lost} of ${outcomes.length} episodes of ${name} have no valid outcome and are in no count.`,
          },
        ];
  return {
    ...prepared,
    warnings: [{ code: 'unmatched_states', text }, ...losses, ...prepared.warnings],
    grade: offered.grade ?? 'exploratory',
    vouched: offered.vouched,
  };
}

function refusedBaseline(name: string, reasons: readonly Reason[]): PreparedBaseline {
  return { baseline: { kind: 'refused', name, reasons }, warnings: [] };
}

/** Checks a count offered as baseline: whole numbers, episodes at all, the same suite, no known difference. */
export function prepareCount(
  plan: Plan,
  fingerprint: Readonly<Record<string, unknown>>,
  offered: CountedBaseline,
): PreparedBaseline {
  const { name, successes, n } = offered;
  const reasons: Reason[] = [];
  if (offered.suite !== plan.suite) reasons.push(otherSuite(name, offered.suite, plan.suite));
  if (!Number.isSafeInteger(n) || n < 1) {
    reasons.push({ code: 'baseline_empty', text: `The baseline ${name} has no episodes.` });
  } else if (!Number.isSafeInteger(successes) || successes < 0 || successes > n) {
    const text = `The baseline ${name} claims ${successes} successes of ${n}.`;
    reasons.push({ code: 'baseline_impossible', text });
  }
  const theirs = offered.fingerprint ?? {};
  const { differing: fields, unestablished } = compareFingerprints(fingerprint, theirs);
  const { tasks: kept = [] } = offered;
  reasons.push(...otherTasks(plan, name, kept));
  const differing = [...fields, ...languageDifferences(plan, kept)];
  if (differing.length > 0) {
    const text = `The protocol of ${name} differs in ${differing.join(', ')}: the numbers do not measure the same thing.`;
    reasons.push({ code: 'fingerprint_differs', text });
  }
  if (reasons.length > 0) return refusedBaseline(name, reasons);
  return {
    baseline: { kind: 'published', name, successes, n },
    warnings: [
      ...unestablishedWarning(name, unestablished),
      ...unknownTasks(plan, name, { kept, fingerprints: [fingerprint, theirs] }),
    ],
  };
}

function recordReasons(plan: Plan, { name, records }: RecordedBaseline): Reason[] {
  if (records.length === 0) {
    return [{ code: 'baseline_empty', text: `The baseline ${name} has no records.` }];
  }
  const suites = [...new Set(records.map((record) => record.suite))].sort();
  const foreign = suites.filter((suite) => suite !== plan.suite);
  if (foreign.length > 0) return [otherSuite(name, foreign.join(', '), plan.suite)];
  const reasons: Reason[] = [];
  const duplicates = repeatedKeys(records);
  if (duplicates.length > 0) {
    const text = `The baseline ${name} has ${duplicates.length} cells twice: ${few(duplicates)}.`;
    reasons.push({ code: 'baseline_duplicate', text });
  }
  const impossible = records.flatMap((record) => {
    const problem = impossibleValue(record);
    return problem === null ? [] : [`${pairKey(record)} (${problem})`];
  });
  if (impossible.length > 0) {
    const text = `The baseline ${name} has ${impossible.length} records with impossible values: ${few(impossible.sort())}.`;
    reasons.push({ code: 'baseline_impossible', text });
  }
  return [...reasons, ...coverageReasons(plan, name, records)];
}

function repeatedKeys(records: readonly EpisodeRecord[]): string[] {
  const seen = new Set<string>();
  const twice = new Set<string>();
  for (const key of records.map(pairKey)) {
    if (seen.has(key)) twice.add(key);
    seen.add(key);
  }
  return [...twice].sort();
}

function coverageReasons(plan: Plan, name: string, records: readonly EpisodeRecord[]): Reason[] {
  if (records.every((record) => validOutcome(record.outcome, plan.timeoutsAs) === null)) {
    const text = `The baseline ${name} has no valid outcome in ${records.length} records.`;
    return [{ code: 'baseline_empty', text }];
  }
  const offered = new Set(records.map(pairKey));
  const wanted = plan.cells.filter((cell) => cell.arm === 'candidate');
  const shared = wanted.filter((cell) => offered.has(pairKey({ suite: plan.suite, ...cell }))).length;
  if (shared > 0) return [];
  const text = `The baseline ${name} has none of the ${wanted.length} planned cells.`;
  return [{ code: 'baseline_fewer_cells', text }];
}

/** A rate over other tasks is another number. */
function otherTasks(plan: Plan, name: string, kept: readonly KeptTask[]): Reason[] {
  if (kept.length === 0) return [];
  const ids = (tasks: readonly { taskId: number }[]): string =>
    idRanges([...new Set(tasks.map(({ taskId }) => taskId))]);
  const [theirs, ours] = [ids(kept), ids(plan.tasks)];
  if (theirs === ours) return [];
  const text = `The baseline ${name} is the rate of task ${theirs}, and task ${ours} is planned: plan the same tasks.`;
  return [{ code: 'baseline_other_tasks', text }];
}

function unestablishedWarning(name: string, fields: readonly string[]): Reason[] {
  if (fields.length === 0) return [];
  const text = `Not established that this run and ${name} agree in: ${fields.join(', ')} (not recorded on at least one side).`;
  return [{ code: 'protocol_unestablished', text }];
}

function otherSuite(name: string, found: string, wanted: string): Reason {
  return { code: 'baseline_other_suite', text: `The baseline ${name} is of suite ${found}, not ${wanted}.` };
}
