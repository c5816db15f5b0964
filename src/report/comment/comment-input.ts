import type { AverageOfSuites } from '../../verdict/several-suites.ts';
import type { TaskChange } from '../page/comparison.ts';
import type { FailedEpisode } from '../view/failures-view.ts';
import type { ComparisonText } from '../view/report-input.ts';
import type { ReportView } from '../view/report-view.ts';
import type { CommentMarker } from './marker.ts';

/** GitHub refuses a comment above 65,536 characters; it counts UTF-16 units. Some stay for what GitHub may add. */
export const COMMENT_BUDGET_UNITS = 65_000;
/** Measured upper bound in bytes is 262,144; github-platform limits. */
export const COMMENT_BUDGET_BYTES = 240_000;
/** A comparison with what a comment adds to it; unescaped. `comparisonView` makes one. */
export interface ComparisonView extends ComparisonText {
  /** In planned order. */
  readonly regressedEpisodes: readonly Pick<
    FailedEpisode,
    'taskId' | 'initStateId' | 'runIndex' | 'outcome'
  >[];
  /** By task id. */
  readonly tasks: ReadonlyMap<number, TaskChange>;
}

export interface CommentSuite {
  readonly view: ReportView;
  readonly comparison: ComparisonView | null;
  /** Address of the suite's page, null when none was published. */
  readonly pageUrl: string | null;
}

export interface CommentInput {
  readonly marker: CommentMarker;
  /** The verdict over all suites. */
  readonly verdict: string;
  readonly suites: readonly CommentSuite[];
  /** Whole addresses, null when there is none. */
  readonly runUrl: string | null;
  readonly artifactUrl: string | null;
  readonly reportUrl: string | null;
  /** Results of a fork: measured by code nobody of this repository vouches for. */
  readonly unauthenticated: boolean;
  /** The mean of all suites; null without one. */
  readonly average: AverageOfSuites | null;
  readonly warnings: readonly string[];
  /** The command that reruns one cell, e.g. `rollout-bench run --suite … --tasks 3 --init-states 7`. */
  readonly rerun: (suite: string, episode: EpisodeRef) => string;
}
export type EpisodeRef = Pick<FailedEpisode, 'taskId' | 'initStateId' | 'runIndex'>;
