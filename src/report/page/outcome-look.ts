import { type Outcome, outcomeSchema } from '../../model/episode-record.ts';

/** How an outcome looks: a colour class and a glyph of its own, so that nobody depends on the colour. */
interface OutcomeLook {
  readonly label: string;
  /** One character that every font has. */
  readonly glyph: string;
  readonly kind: string;
}

const LOOKS: Readonly<Record<Outcome, OutcomeLook>> = {
  success: { label: 'success', glyph: '·', kind: 'o-success' },
  failure: { label: 'failure', glyph: '×', kind: 'o-failure' },
  timed_out: { label: 'timed out', glyph: 'T', kind: 'o-timeout' },
  error: { label: 'error', glyph: '!', kind: 'o-error' },
  rejected: { label: 'rejected', glyph: 'R', kind: 'o-fault' },
  cancelled: { label: 'cancelled', glyph: 'C', kind: 'o-fault' },
  lost: { label: 'lost', glyph: '?', kind: 'o-fault' },
  mismatch: { label: 'mismatch', glyph: 'M', kind: 'o-suspect' },
  conflict: { label: 'conflict', glyph: '#', kind: 'o-suspect' },
  missing: { label: 'missing', glyph: 'E', kind: 'o-suspect' },
  not_run: { label: 'not run', glyph: '–', kind: 'o-none' },
  after_stop: { label: 'after the stop', glyph: '»', kind: 'o-none' },
};

export function outcomeLook(outcome: Outcome): OutcomeLook {
  return LOOKS[outcome];
}

/** In the order of the legend. */
export const OUTCOMES: readonly Outcome[] = outcomeSchema.options;
