/** Directed graphs by the names of their nodes. */

export type Graph = ReadonlyMap<string, ReadonlySet<string>>;

export function graphOf(edges: Iterable<readonly [string, string]>): Graph {
  const graph = new Map<string, Set<string>>();
  const at = (name: string): Set<string> => {
    const found = graph.get(name) ?? new Set<string>();
    graph.set(name, found);
    return found;
  };
  for (const [from, to] of edges) {
    at(to);
    if (from !== to) at(from).add(to);
  }
  return graph;
}

/** The strongly connected components, each after all that it leads to (Tarjan 1972). */
export function components(graph: Graph): readonly (readonly string[])[] {
  const found: string[][] = [];
  const index = new Map<string, number>();
  const low = new Map<string, number>();
  const open: string[] = [];
  const visit = (name: string): number => {
    const own = index.size;
    index.set(name, own);
    low.set(name, own);
    open.push(name);
    for (const next of graph.get(name) ?? []) {
      const reached = index.has(next) ? (open.includes(next) ? (index.get(next) ?? own) : own) : visit(next);
      low.set(name, Math.min(low.get(name) ?? own, reached));
    }
    if (low.get(name) === own) found.push(open.splice(open.indexOf(name)));
    return low.get(name) ?? own;
  };
  for (const name of graph.keys()) if (!index.has(name)) visit(name);
  return found;
}

/** The groups of nodes that reach each other, largest first. */
export const cycles = (graph: Graph): readonly (readonly string[])[] =>
  components(graph)
    .filter((group) => group.length > 1)
    .map((group) => group.toSorted())
    .sort((a, b) => b.length - a.length);

/** The longest path from a node, where nodes that reach each other count as one. */
export function longestPath(graph: Graph, from: string): readonly string[] {
  const groups = components(graph);
  const groupOf = new Map(groups.flatMap((group, at) => group.map((name) => [name, at] as const)));
  const best: (readonly string[])[] = [];
  groups.forEach((group, at) => {
    const behind = group
      .flatMap((name) => [...(graph.get(name) ?? [])])
      .map((name) => groupOf.get(name) ?? at)
      .filter((next) => next !== at)
      .map((next) => best[next] ?? [])
      .reduce((longest, path) => (path.length > longest.length ? path : longest), []);
    best[at] = [group.toSorted().join(' + '), ...behind];
  });
  const start = groupOf.get(from);
  return start === undefined ? [] : (best[start] ?? []);
}
