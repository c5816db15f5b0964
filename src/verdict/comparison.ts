import type { EpisodeRecord } from '../model/episode-record.ts';
import type { Reason } from '../model/verdict.ts';
import type { Pairing } from './pairing.ts';

/** What the candidate is held against. */
export type Comparison =
  /** `baseline: auto` found none, or nothing was asked for: floors only. */
  | { readonly kind: 'none'; readonly note: string | null }
  /** A named baseline that is not there: INVALID. */
  | { readonly kind: 'absent'; readonly name: string }
  /** A baseline that was read and refused: INVALID. */
  | { readonly kind: 'refused'; readonly name: string; readonly reasons: readonly Reason[] }
  /** Episodes on the same cells: another run, or a second arm. `differing` are fingerprint fields. */
  | {
      readonly kind: 'paired';
      readonly name: string;
      readonly pairing: Pairing;
      readonly differing: readonly string[];
      /** What to say of planned cells that the other run was never asked for; left out: it was asked for all. */
      readonly notes?: readonly Reason[];
      /** How many they are. */
      readonly added?: number;
    }
  /** Only a count is known: unpaired, and said so. */
  | { readonly kind: 'published'; readonly name: string; readonly successes: number; readonly n: number };

/** What the candidate of a plan is held against, before it is paired. */
export type Baseline =
  | { readonly kind: 'none'; readonly note: string | null }
  | { readonly kind: 'absent'; readonly name: string }
  | { readonly kind: 'refused'; readonly name: string; readonly reasons: readonly Reason[] }
  /** Another run's records; `differing` are the fingerprint fields in which the two runs differ. */
  | {
      readonly kind: 'records';
      readonly name: string;
      readonly records: readonly EpisodeRecord[];
      readonly differing: readonly string[];
    }
  | { readonly kind: 'published'; readonly name: string; readonly successes: number; readonly n: number };
