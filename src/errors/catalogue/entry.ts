/** Exit codes by which a single problem may end a job; their numbers are in `EXIT`. */
export type ExitName = 'usage' | 'refused' | 'noVerdict' | 'verifyMismatch' | 'busy';

/** All that is the same wherever a code is found. */
export interface CatalogueEntry {
  readonly title: string;
  /** What it means and what to do, for docs/errors.md. */
  readonly help: string;
  /** The sentence after `Fix:`, where one fits every case. */
  readonly fix?: string;
  /** It stops the use case unless the entry says otherwise. */
  readonly severity?: 'warning';
  /** How a job ends that has this problem alone; absent where that depends on who looks. */
  readonly exit?: ExitName;
}
