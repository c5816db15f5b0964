import type { RunFacts } from '../../model/run-facts.ts';

/** How far an attempt got. `empty`: nothing but a folder; `running`: its run holds the lane now; `crashed`: by a bug. */
export type AttemptState = 'sealed' | 'ended' | 'interrupted' | 'crashed' | 'unsealed' | 'running' | 'empty';

/** A file of an attempt that the inventory looks at. */
export interface KnownFile {
  /** Relative to the folder of all runs, with `/`. */
  readonly path: string;
  readonly bytes: number;
  /** Milliseconds since 1970, whole. */
  readonly modifiedMs: number;
}

/** Numbers of one arm from results.json; a verdict needs rules and is never in a bundle. */
export interface ArmCounts {
  readonly arm: string;
  readonly planned: number;
  readonly recorded: number;
  readonly valid: number;
  readonly successes: number;
}

export interface AttemptEntry {
  readonly attempt: number;
  readonly state: AttemptState;
  /** What its marker says of an interruption or a crash, in words; null without one. */
  readonly ending: string | null;
  /** Null when neither results nor plan name it. */
  readonly suite: string | null;
  readonly evidenceClass: RunFacts['evidenceClass'] | null;
  /** What it was measured for; absent where no results tell. */
  readonly purpose?: string;
  /** Run id of the public run whose held-out cells these are; absent in every other attempt. */
  readonly heldOutOf?: string;
  /** Why results.json cannot be used; null when it can or is not there. */
  readonly resultsProblem: string | null;
  /** Null without a readable results.json: unknown, not zero. */
  readonly arms: readonly ArmCounts[] | null;
  /** The rendered report; null when there is none. */
  readonly report: KnownFile | null;
  readonly manifestSha256: string | null;
  /** With `--deep`, whether the bundle is what was sealed; null: not sealed, or not looked at. */
  readonly sealValid: boolean | null;
  /** Everything the bundle holds; null when there are too many files to count here. */
  readonly bytes: number | null;
  /** Files were held back beside the attempt because of a secret. */
  readonly quarantine: boolean;
  /** Its raw evidence was removed to save space; the seal cannot be checked any more. */
  readonly rawRemoved: boolean;
  /** When the attempt was last written to; UTC, ISO 8601. */
  readonly modifiedAt: string | null;
  readonly files: readonly KnownFile[];
}

/** The bundle of one control of a qualification. */
export interface ControlEntry {
  readonly name: string;
  /** Null: it was not sealed. */
  readonly manifestSha256: string | null;
  /** With `--deep`, whether the bundle is what was sealed; null: not sealed, or not looked at. */
  readonly sealValid: boolean | null;
}

/** A folder of controls instead of attempts. */
export interface QualificationEntry {
  /** What it says that it came to. `unfinished`: it was cut off before it could say; `running`: it has the lane now. */
  readonly qualification: 'passed' | 'not passed' | 'unreadable' | 'unfinished' | 'running';
  /** sha256 of qualification.json; null: there is none that can be read. */
  readonly qualificationSha256: string | null;
  /** By name. */
  readonly controls: readonly ControlEntry[];
  /** With `--deep`, why one that passed is not what its own evidence says; null: not looked at, or it did not pass. */
  readonly qualificationFaults: readonly string[] | null;
}

/** A run, or a qualification: that has no attempts, and its own fields, which are absent for a run. */
export interface RunEntry extends Partial<QualificationEntry> {
  readonly runId: string;
  /** By number; empty for a folder without attempts. */
  readonly attempts: readonly AttemptEntry[];
}

/** Something in the folder of runs that is not what it should be, and was not looked into. */
export interface RejectedEntry {
  readonly path: string;
  readonly reason: string;
}

/** Everything one look at a workspace found. */
export interface Scan {
  /** Short name of the folder that was looked at, without telling where it is. */
  readonly rootId: string;
  /** Entries of the folder, of whatever kind. */
  readonly scanned: number;
  /** Sorted by id, by code unit. */
  readonly runs: readonly RunEntry[];
  readonly rejected: readonly RejectedEntry[];
}

/** Ending of the note beside an attempt whose raw evidence was removed; inside it would be one file too many. */
export const RAW_REMOVED = '.raw-removed.json';
