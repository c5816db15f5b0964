import type { EpisodeRecord } from '../model/episode-record.ts';

/** What is known of a cell of which only the outcome was kept. */
type BareCell = Pick<
  EpisodeRecord,
  | 'benchmark'
  | 'suite'
  | 'taskId'
  | 'initStateId'
  | 'runIndex'
  | 'position'
  | 'language'
  | 'outcome'
  | 'steps'
>;

/** A record with everything else unknown. It stands for the policy that its own run measured. */
export function bareRecord(cell: BareCell): EpisodeRecord {
  return {
    ...cell,
    arm: 'candidate',
    sessionId: null,
    attempts: [],
    success: null,
    successSource: null,
    episodeReturn: null,
    policyLatencyMs: null,
    policyCalls: null,
    durationMs: null,
    startedAt: null,
    finishedAt: null,
    errorCode: null,
    errorMessage: null,
    artifactDir: null,
    notes: [],
  };
}
