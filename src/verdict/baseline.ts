import type { EpisodeRecord } from '../outcome/episode-record.ts';
import type { Plan } from '../plan/plan.ts';
import { compareFingerprints } from './fingerprint.ts';
import type { Baseline } from './from-records.ts';
import { few } from './integrity.ts';
import { pairKey, validOutcome } from './pairing.ts';
import { impossibleValue } from './record-checks.ts';
import type { EvidenceGrade } from './release.ts';
import type { Reason } from './verdict.ts';

/** A baseline with an outcome per cell: an accepted run, a bundle, or an imported file. */
export interface RecordedBaseline {
  /** Declared digest of the checkpoint that was measured; null or left out when it is unknown. */
  readonly checkpoint?: string | null;
  /** How far its numbers can be trusted; left out is exploratory. */
  readonly grade?: EvidenceGrade;
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
}

/** A baseline ready for `decideFromRecords`, and what to say about it. */
export interface PreparedBaseline {
  readonly baseline: Baseline;
  readonly warnings: readonly Reason[];
  /** As `RecordedBaseline`. */
  readonly checkpoint?: string | null;
  /** As `RecordedBaseline`; left out when it is not another run's records. */
  readonly grade?: EvidenceGrade;
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
  const reasons = recordReasons(plan, offered);
  if (reasons.length > 0) return { baseline: { kind: 'refused', name, reasons }, warnings: [] };
  const { differing, unestablished } = compareFingerprints(fingerprint, offered.fingerprint ?? {});
  const languages = languageDifferences(plan, offered.records);
  return {
    baseline: { kind: 'records', name, records: offered.records, differing: [...differing, ...languages] },
    warnings: unestablishedWarning(name, unestablished),
    checkpoint: offered.checkpoint ?? null,
    grade: offered.grade ?? 'exploratory',
  };
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
  const { differing, unestablished } = compareFingerprints(fingerprint, offered.fingerprint ?? {});
  if (differing.length > 0) {
    const text = `The protocol of ${name} differs in ${differing.join(', ')}: the numbers do not measure the same thing.`;
    reasons.push({ code: 'fingerprint_differs', text });
  }
  if (reasons.length > 0) return { baseline: { kind: 'refused', name, reasons }, warnings: [] };
  return {
    baseline: { kind: 'published', name, successes, n },
    warnings: unestablishedWarning(name, unestablished),
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

/** Fields in which the texts of shared tasks differ, e.g. `task_language of task 3`. */
function languageDifferences(plan: Plan, records: readonly EpisodeRecord[]): string[] {
  const languages = new Map(plan.tasks.map((task) => [task.taskId, task.language]));
  const differing = new Set<number>();
  for (const record of records) {
    const planned = languages.get(record.taskId);
    // Empty is unknown: an accepted baseline keeps no languages.
    if (planned !== undefined && record.language !== '' && planned !== record.language)
      differing.add(record.taskId);
  }
  return [...differing].sort((a, b) => a - b).map((taskId) => `task_language of task ${taskId}`);
}

function unestablishedWarning(name: string, fields: readonly string[]): Reason[] {
  if (fields.length === 0) return [];
  const text = `Not established that this run and ${name} agree in: ${fields.join(', ')} (not recorded on at least one side).`;
  return [{ code: 'protocol_unestablished', text }];
}

function otherSuite(name: string, found: string, wanted: string): Reason {
  return { code: 'baseline_other_suite', text: `The baseline ${name} is of suite ${found}, not ${wanted}.` };
}
