/** The figures of a tree of sources: how its files, folders and functions hang together, and how large they are. */
import { posix } from 'node:path';
import { calls, copiedFunctions, functionSizes } from './functions.ts';
import { cycles, type Graph, graphOf, longestPath } from './graph.ts';
import { importedPath, type SourceFile } from './sources.ts';
import { walk } from './syntax.ts';

/** Where the main job begins: the verb that measures, judges and publishes. */
const MAIN_JOB = 'app/run.ts:run';

export interface Figure {
  readonly what: string;
  readonly value: string;
  /** What it should be at most, for people. */
  readonly goal: string;
  /** Names behind the number; empty where they say nothing. */
  readonly names: readonly string[];
}

interface Edge {
  readonly from: string;
  readonly to: string;
  readonly typeOnly: boolean;
  readonly names: readonly string[];
}

/** @param users files that are not measured but use what is: tests and scripts, by their paths as seen from src/. */
export function measure(files: readonly SourceFile[], users: readonly SourceFile[] = []): readonly Figure[] {
  const edges = edgesOf(files, files);
  const byValue = edges.filter(({ typeOnly }) => !typeOnly);
  const circles = cycles(between(edges, (path) => path));
  const chain = longestPath(graphOf(calls(files)), MAIN_JOB);
  return [
    counted('folders in an import cycle, by value', '0', cycles(between(byValue, folderOf)).flat()),
    counted('folders in an import cycle, with types', '0', cycles(between(edges, folderOf)).flat()),
    counted('files in an import cycle, with types', '0', circles.flat()),
    { what: 'longest static call chain of the main job', value: `${chain.length}`, goal: '15', names: chain },
    counted('files with one importer', '90', withOneImporter(edges)),
    counted(
      'exported names that no other file uses',
      '0',
      unusedExports(files, [...edges, ...edgesOf(users, files)]),
    ),
    counted('functions written in several files', '0', copiedFunctions(files)),
    ...sizes(files),
    ...looseTypes(files),
  ];
}

const folderOf = (path: string): string => posix.dirname(path);

const counted = (what: string, goal: string, names: readonly string[]): Figure => ({
  what,
  value: `${names.length}`,
  goal,
  names,
});

function edgesOf(files: readonly SourceFile[], among: readonly SourceFile[]): readonly Edge[] {
  const known = new Set(among.map(({ path }) => path));
  return files.flatMap((file) =>
    file.imports.flatMap((imported) => {
      const to = importedPath(file, imported);
      return to === null || !known.has(to)
        ? []
        : [{ from: file.path, to, typeOnly: imported.typeOnly, names: imported.names }];
    }),
  );
}

/** The imports between files or between folders, as `placeOf` says. */
function between(edges: readonly Edge[], placeOf: (path: string) => string): Graph {
  return graphOf(edges.map(({ from, to }) => [placeOf(from), placeOf(to)] as const));
}

function withOneImporter(edges: readonly Edge[]): readonly string[] {
  const importers = graphOf(edges.map(({ from, to }) => [to, from] as const));
  return [...importers].filter(([, found]) => found.size === 1).map(([path]) => path);
}

function unusedExports(files: readonly SourceFile[], edges: readonly Edge[]): readonly string[] {
  const used = new Set(edges.flatMap(({ to, names }) => names.map((name) => `${to}:${name}`)));
  return files.flatMap(({ path, exports }) =>
    exports.map((name) => `${path}:${name}`).filter((name) => !used.has(name) && !used.has(`${path}:*`)),
  );
}

function sizes(files: readonly SourceFile[]): readonly Figure[] {
  const lengths = files.map(({ path, text }) => ({ path, lines: text.split('\n').length - 1 }));
  const functions = files.flatMap(functionSizes).toSorted((a, b) => a.lines - b.lines);
  const at = (share: number): number => functions[Math.floor((functions.length - 1) * share)]?.lines ?? 0;
  const longest = lengths.toSorted((a, b) => b.lines - a.lines).slice(0, 1);
  const last = functions.slice(-1);
  return [
    { what: 'files', value: `${files.length}`, goal: '', names: [] },
    { what: 'lines', value: `${lengths.reduce((sum, { lines }) => sum + lines, 0)}`, goal: '', names: [] },
    {
      what: 'lines of the longest file',
      value: `${longest[0]?.lines ?? 0}`,
      goal: '250',
      names: longest.map(({ path }) => path),
    },
    {
      what: 'lines of a function: median, 90th percentile, longest',
      value: `${at(0.5)}, ${at(0.9)}, ${at(1)}`,
      goal: '8, 21, 60',
      names: last.map(({ path, name }) => `${path}:${name}`),
    },
  ];
}

function looseTypes(files: readonly SourceFile[]): readonly Figure[] {
  const anys: string[] = [];
  const casts: string[] = [];
  for (const { path, program } of files) {
    walk(program, (node) => {
      if (node.type === 'TSAnyKeyword') anys.push(path);
      if (node.type === 'TSAsExpression' && !isConst(node.typeAnnotation)) casts.push(path);
    });
  }
  return [counted('any', '0', anys), counted('casts', '22', casts)];
}

/** `as const` narrows and claims nothing. */
function isConst(type: { readonly type: string }): boolean {
  return (
    type.type === 'TSTypeReference' &&
    'typeName' in type &&
    typeof type.typeName === 'object' &&
    type.typeName !== null &&
    'name' in type.typeName &&
    type.typeName.name === 'const'
  );
}
