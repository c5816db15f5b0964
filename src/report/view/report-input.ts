import type { EpisodeRecord } from '../../model/episode-record.ts';
import type { HeldOutSummary } from '../../model/held-out-summary.ts';
import type { Results } from '../../model/results.ts';
import type { Decision } from '../../model/verdict.ts';
import type { AverageOfSuites } from '../../verdict/several-suites.ts';
import type { Audience } from './endpoint.ts';

export interface ReportInput {
  readonly results: Results;
  readonly records: readonly EpisodeRecord[];
  readonly decision: Decision;
  /** The verdict of a run is provisional: `report` decides with the baseline and the base branch's rules. */
  readonly provisional: boolean;
  readonly audience: Audience;
  /** Workspace-relative folder of the bundle, null when it is not known. */
  readonly bundleDir: string | null;
  /** Left out or null: the candidate was compared with nothing. */
  readonly comparison: ComparisonReport | null;
  /** Left out or null: one suite, or no comparison of all of them. */
  readonly average: AverageOfSuites | null;
  /** Left out or null: nothing was held out, or nothing is known of it. */
  readonly heldOut: HeldOutSummary | null;
  /** Left out: the page stands alone, as in a sealed bundle. */
  readonly page?: PagePlace;
}

/** Where else to look, and what became of the run. */
export interface PagePlace {
  /** Ways to the workflow run, the commit, the history. */
  readonly links: readonly { readonly label: string; readonly address: string }[];
  /** The run became the baseline that later ones are compared with, and was compared with none itself. */
  readonly accepted: boolean;
}

/** Label and value, unescaped; `code` values are ids, paths and digests. */
export interface ViewRow {
  readonly label: string;
  readonly value: string;
  readonly code: boolean;
}

/** A row of words and figures. */
export function plainRow(label: string, value: string): ViewRow {
  return { label, value, code: false };
}

/** How the candidate compares with its baseline, in words ready to show. A comment's comparison fits. */
export interface ComparisonText {
  /** `main at 1a2b3c4` */
  readonly baseline: string;
  readonly baselineRate: string;
  /** `−4.0 (−6.4 to −2.0)`, points. */
  readonly change: string;
  readonly regressed: number;
  readonly fixed: number;
  /** Which cells alone could be compared, where too few were for a verdict: then `change` is unknown. */
  readonly common?: string;
  /** Which cells the change is over, where the plan has more than the baseline; left out: all. */
  readonly shared?: string;
  /** False for a count, of which no initial states are known; true when left out. */
  readonly matched?: boolean;
  /** Further sentences in short: what decides, worst task, smallest visible drop, rerun noise. */
  readonly facts?: readonly string[];
}

/** The comparison in words and figures: the line of the comment and the page, and the rows of every report. */
export interface ComparisonReport extends ComparisonText {
  readonly rows: readonly ViewRow[];
}
