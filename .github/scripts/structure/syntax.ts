/** A walk over a syntax tree. */
import type { ESTree } from 'vite';

export type Node = ESTree.Node;

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';

function childrenOf(node: Node): readonly Node[] {
  return Object.values(node).flatMap((value) =>
    Array.isArray(value) ? value.filter(isNode) : isNode(value) ? [value] : [],
  );
}

/** Visits a node and all below it; `above` are the nodes that it stands in, the nearest first. */
export function walk(
  node: Node,
  visit: (node: Node, above: readonly Node[]) => void,
  above: readonly Node[] = [],
): void {
  visit(node, above);
  const below = [node, ...above];
  for (const child of childrenOf(node)) walk(child, visit, below);
}

/** What the tree says where brackets, `await`, casts and assertions are looked through. */
export function withoutWrapping(above: readonly Node[]): readonly Node[] {
  const wraps = new Set([
    'ParenthesizedExpression',
    'AwaitExpression',
    'TSAsExpression',
    'TSNonNullExpression',
  ]);
  const first = above.findIndex(({ type }) => !wraps.has(type));
  return first < 0 ? [] : above.slice(first);
}
