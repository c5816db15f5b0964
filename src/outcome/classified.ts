import type * as z from 'zod';
import type { Outcome, successSourceSchema } from '../model/episode-record.ts';

/** What the evidence says ran; null fields are unknown. */
export interface ExecutedCell {
  readonly benchmark: string | null;
  readonly taskId: number | null;
  readonly initStateId: number | null;
  readonly language: string | null;
}

/** Times are milliseconds, steps are simulator steps, episodeReturn is the sum of rewards. Unknown is null. */
export interface Classified {
  readonly outcome: Outcome;
  readonly success: boolean | null;
  readonly successSource: z.infer<typeof successSourceSchema> | null;
  readonly steps: number | null;
  readonly episodeReturn: number | null;
  readonly policyLatencyMs: number | null;
  readonly policyCalls: number | null;
  readonly finishedAt: string | null;
  readonly errorCode: string | null;
  readonly errorMessage: string | null;
  readonly artifactDir: string | null;
  readonly notes: readonly string[];
  readonly executed: ExecutedCell | null;
  /** The word of a verifier on an episode that ended, null while it has none, and where there is no verifier. */
  readonly verifierSays: boolean | null;
}
