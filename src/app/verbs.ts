import type { Mode } from '../inputs/row.ts';
import type { VerbName } from '../inputs/verbs.ts';
import type { AfterJob, Verb } from './verb.ts';

/**
 * Where each verb of the command line is. Every use case is loaded by itself: an error message must not wait for code
 * it does not need.
 */
export const VERBS: Partial<Record<VerbName, () => Promise<Verb>>> = {};

/** The action's input `mode`. */
export const MODES: Partial<Record<Mode, () => Promise<Verb>>> = {};

/** What the post step does with the state that main left; null while nothing needs cleaning up. */
export const AFTER_JOB: (() => Promise<AfterJob>) | null = null;
