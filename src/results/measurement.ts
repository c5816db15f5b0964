import type { EpisodeRecord } from '../model/episode-record.ts';
import type { HeldOutSummary } from '../model/held-out-summary.ts';
import type { Plan } from '../model/plan.ts';
import type { Results } from '../model/results.ts';
import type { RunFacts } from '../model/run-facts.ts';
import type { Reason } from '../model/verdict.ts';
import type { StopBaseline } from '../verdict/early-stop-baseline.ts';

/** One bundle's share of a measurement. */
export interface Part {
  readonly plan: Plan;
  readonly planDigest: string;
  readonly run: RunFacts;
  readonly records: readonly EpisodeRecord[];
  readonly results: Results;
  /** The recorded baseline that a run which may stop early compared with. */
  readonly stopBaseline: StopBaseline | null;
  /** The aggregate of the cells that the plan holds out. */
  readonly heldOut: HeldOutSummary | null;
  readonly manifestSha256: string;
}

/** One suite, whole: the parts of all its shards put together, gaps as `not_run`. */
export interface Measurement {
  readonly plan: Plan;
  readonly planDigest: string;
  readonly run: RunFacts;
  readonly records: readonly EpisodeRecord[];
  readonly results: Results;
  /** See `Part`. */
  readonly stopBaseline: StopBaseline | null;
  /** See `Part`. */
  readonly heldOut: HeldOutSummary | null;
  readonly parts: readonly Part[];
  /** Why the parts must not be put together; the verdict is INVALID when there is any. */
  readonly invalid: readonly Reason[];
  /** Bundles that do not count, and why. */
  readonly notes?: readonly Reason[];
}
