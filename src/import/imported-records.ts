import type { EpisodeRecord } from '../model/episode-record.ts';
import type { ImportedFacts } from '../model/imported-facts.ts';
import type { Results } from '../model/results.ts';
import type { ImportedSuite } from './imported-suites.ts';
import type { ImportedEpisode } from './importer/importer.ts';
import { shownName } from './suite-names.ts';

const MAX_MESSAGE = 2_000;

/** One record for each cell of the plan. The place in the file stands where others have a session. Pure. */
export function importedRecords({
  plan,
  episodes,
}: Pick<ImportedSuite, 'plan' | 'episodes'>): EpisodeRecord[] {
  const languages = new Map(plan.tasks.map(({ taskId, language }) => [taskId, language]));
  return plan.cells.map((cell, position) => ({
    benchmark: plan.benchmark,
    suite: plan.suite,
    ...cell,
    position,
    language: languages.get(cell.taskId) ?? '',
    ...toldOf(episodes[position] ?? null),
    successSource:
      episodes[position]?.outcome === 'success' || episodes[position]?.outcome === 'failure'
        ? 'imported file'
        : null,
    policyCalls: null,
    startedAt: null,
    finishedAt: null,
    artifactDir: null,
    evidenceClass: 'imported',
    ...(plan.cellsBy === undefined ? {} : { cellsBy: plan.cellsBy }),
  }));
}

/** Complete only where somebody said what was meant, and all of it is there. Null: nobody said. Pure. */
export function importedEnd(
  { planned }: Pick<ImportedFacts, 'planned'>,
  records: readonly Pick<EpisodeRecord, 'outcome'>[],
): Results['end'] {
  if (planned === null) return null;
  const open = records.filter(({ outcome }) => outcome === 'not_run').length;
  if (open === 0) return { kind: 'complete', reason: null };
  const reason = `${open} of ${records.length} episodes that were meant (${planned}) are not in the files`;
  return { kind: 'incomplete', reason };
}

type Told = Pick<
  EpisodeRecord,
  | 'outcome'
  | 'sessionId'
  | 'attempts'
  | 'success'
  | 'steps'
  | 'episodeReturn'
  | 'policyLatencyMs'
  | 'durationMs'
  | 'errorCode'
  | 'errorMessage'
  | 'notes'
>;

function toldOf(episode: ImportedEpisode | null): Told {
  if (episode === null) return { ...UNTOLD, notes: [] };
  const { outcome } = episode;
  const at = shownName(episode.at, 300);
  const errorCode = textOrNull(episode.errorCode, 100);
  const errorMessage = textOrNull(episode.errorMessage, MAX_MESSAGE);
  const ran = outcome !== 'not_run';
  return {
    outcome,
    sessionId: ran ? at : null,
    attempts: ran ? [{ sessionId: at, attempt: 0, outcome, errorCode, errorMessage }] : [],
    success: outcome === 'success' ? true : outcome === 'failure' ? false : null,
    steps: amount(episode.steps),
    episodeReturn: Number.isFinite(episode.episodeReturn) ? (episode.episodeReturn ?? null) : null,
    policyLatencyMs: amount(episode.policyLatencyMs),
    durationMs: amount(episode.durationMs),
    errorCode,
    errorMessage,
    notes: (episode.notes ?? []).map((note) => shownName(note)),
  };
}

const UNTOLD: Omit<Told, 'notes'> = {
  outcome: 'not_run',
  sessionId: null,
  attempts: [],
  success: null,
  steps: null,
  episodeReturn: null,
  policyLatencyMs: null,
  durationMs: null,
  errorCode: null,
  errorMessage: null,
};

/** What is no amount is unknown. */
function amount(value: number | null | undefined): number | null {
  return value != null && Number.isFinite(value) && value >= 0 ? value : null;
}

function textOrNull(value: string | null | undefined, max: number): string | null {
  if (value == null) return null;
  const text = shownName(value, max);
  return text === '' ? null : text;
}
