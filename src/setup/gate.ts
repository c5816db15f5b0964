import type { Answers, Door } from './answers.ts';

/** What a gate is made of. */
export interface Gate {
  readonly door: Door;
  readonly answers: Answers;
  /** `owner/name@ref` of the action. */
  readonly action: string;
  /** Also the workflow that gates tags. */
  readonly release: boolean;
}
