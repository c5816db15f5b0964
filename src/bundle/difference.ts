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
