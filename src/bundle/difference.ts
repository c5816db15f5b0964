import { BUNDLE_FILES } from './layout.ts';

/** One way in which a bundle is not what its manifest says. */
export interface Difference {
  readonly kind:
    | 'missing'
    | 'extra'
    | 'changed'
    | 'link'
    | 'journal'
    | 'plan'
    | 'results'
    | 'rendered'
    | 'qualification'
    | 'approval'
    | 'held back'
    | 'held out';
  /** Path inside the bundle. */
  readonly path: string;
  readonly message: string;
}

/** What is wrong with the journal of a bundle. */
export function journalDifference(message: string): Difference {
  return { kind: 'journal', path: BUNDLE_FILES.journal, message };
}
