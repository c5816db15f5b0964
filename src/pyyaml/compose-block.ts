import type { Nodes } from './compose-nodes.ts';
import { addPair, emptyNode, type MappingNode, type Node, type SequenceNode } from './nodes.ts';
import { refuse } from './yaml-error.ts';

/** The items of a list; `isUnindented` when its dashes stand at the column of its key. */
export function fillBlockSequence(nodes: Nodes, node: SequenceNode, isUnindented: boolean): void {
  for (;;) {
    const token = nodes.scanner.peek();
    if (token.kind !== '-') {
      if (isUnindented) return;
      if (token.kind === '<block end>') {
        nodes.scanner.take();
        return;
      }
      const problem = `expected <block end>, but found '${token.kind}'`;
      refuse('while parsing a block collection', problem, token.start);
    }
    nodes.scanner.take();
    const next = nodes.scanner.peek().kind;
    const isEmpty =
      next === '-' || next === '<block end>' || (isUnindented && (next === '?' || next === ':'));
    node.items.push(isEmpty ? emptyNode(token.end) : nodes.node('block'));
  }
}

/** The entries of a mapping in block style. */
export function fillBlockMapping(nodes: Nodes, node: MappingNode): void {
  for (;;) {
    const token = nodes.scanner.peek();
    if (token.kind === '<block end>') {
      nodes.scanner.take();
      return;
    }
    if (token.kind !== '?') {
      const problem = `expected <block end>, but found '${token.kind}'`;
      refuse('while parsing a block mapping', problem, token.start);
    }
    nodes.scanner.take();
    const key = blockPart(nodes, token.end);
    const colon = nodes.scanner.peek();
    if (colon.kind !== ':') addPair(node, key, emptyNode(colon.start));
    else {
      nodes.scanner.take();
      addPair(node, key, blockPart(nodes, colon.end));
    }
  }
}

/** Key or value of a block mapping. */
function blockPart(nodes: Nodes, emptyAt: number): Node {
  const next = nodes.scanner.peek().kind;
  const isEmpty = next === '?' || next === ':' || next === '<block end>';
  return isEmpty ? emptyNode(emptyAt) : nodes.node('value');
}
