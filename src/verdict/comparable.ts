import type { EpisodeRecord } from '../model/episode-record.ts';
import type { Plan } from '../model/plan.ts';
import { few } from './few.ts';
import { compareFingerprints, type Fingerprint } from './fingerprint.ts';
import type { SharedCell } from './many-policies.ts';
import { validOutcome } from './pairing.ts';
import { languageDifferences } from './task-identity.ts';

type Fields = Readonly<Record<string, unknown>> | Fingerprint;

/** What must be the same for two policies to stand in one table. */
export interface ComparableRun {
  readonly tasks: Plan['tasks'];
  readonly cells: readonly SharedCell[];
  readonly fingerprint: Fields;
}

/** How a run differs from the one that the others are held against. */
export interface RunDifference {
  /** In words: which cells only one of them ran; null when they are the same. */
  readonly cells: string | null;
  /** Fields of the protocol that are known and differ. */
  readonly protocol: readonly string[];
  /** Fields that are unknown on a side. */
  readonly unestablished: readonly string[];
}

/** The cells of the candidate in planned order. */
export function candidateCells({ cells }: Pick<Plan, 'cells'>): SharedCell[] {
  return cells
    .filter(({ arm }) => arm === 'candidate')
    .map(({ taskId, initStateId, runIndex }) => ({ taskId, initStateId, runIndex }));
}

/** `t1-i0-r0`. */
function cellText({ taskId, initStateId, runIndex }: SharedCell): string {
  return `t${taskId}-i${initStateId}-r${runIndex}`;
}

/** Compares two runs by name: their cells, the texts of their tasks, and every field of their protocols. Pure. */
export function runDifference(reference: ComparableRun, run: ComparableRun): RunDifference {
  const [theirs, own] = [reference, run].map(({ cells }) => new Set(cells.map(cellText)));
  const lacking = [...(theirs ?? [])].filter((cell) => own?.has(cell) !== true);
  const further = [...(own ?? [])].filter((cell) => theirs?.has(cell) !== true);
  const said = [
    lacking.length === 0 ? '' : `${lacking.length} cells are missing (${few(lacking)})`,
    further.length === 0 ? '' : `${further.length} are in no other (${few(further)})`,
  ].filter((text) => text !== '');
  const { differing, unestablished } = compareFingerprints(reference.fingerprint, run.fingerprint);
  return {
    cells: said.length === 0 ? null : said.join(', '),
    protocol: [...differing, ...languageDifferences(reference, run.tasks)],
    unestablished,
  };
}

/** All that is known of two protocols that do not differ, so that a third run is held against both. */
export function knownOfBoth(left: Fields, right: Fields): Readonly<Record<string, unknown>> {
  const known = (fields: Fields) => Object.entries(fields).filter(([, value]) => value !== null);
  return Object.fromEntries([...Object.entries({ ...right, ...left }), ...known(right), ...known(left)]);
}

/** What became of the cells, in their order; a cell without a record, or without a verdict on the policy, is null. */
export function outcomesOf(
  cells: readonly SharedCell[],
  records: readonly EpisodeRecord[],
  timeoutsAs: Plan['timeoutsAs'],
): (boolean | null)[] {
  const own = new Map(
    records.filter(({ arm }) => arm === 'candidate').map((record) => [cellText(record), record.outcome]),
  );
  return cells.map((cell) => {
    const outcome = own.get(cellText(cell));
    return outcome === undefined ? null : validOutcome(outcome, timeoutsAs);
  });
}
