import type { ImportedEpisode } from './importer.ts';

/** The rest of an episode of a tool that tells its outcome and nothing else; where it tells more, that overrides. */
export const OUTCOME_ONLY = {
  steps: null,
  episodeReturn: null,
  policyLatencyMs: null,
  durationMs: null,
  errorCode: null,
  errorMessage: null,
} as const satisfies Partial<ImportedEpisode>;
