import type { Node } from './nodes.ts';
import type { Scanner } from './scanner.ts';

/** Where a node stands: inside brackets, in a block, or as value of a key, where a list needs no indentation. */
export type Position = 'flow' | 'block' | 'value';

/** What the readers of lists and mappings need. */
export interface Nodes {
  readonly scanner: Scanner;
  /** Takes one whole node. */
  node(position: Position): Node;
}
