import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cycles, graphOf } from '../../../.github/scripts/structure/graph.ts';
import { importedPath, type SourceFile } from '../../../.github/scripts/structure/sources.ts';
import { floorPlan, ROOT, sourceFiles } from './source-files.ts';

const { floors, pure } = floorPlan();
const files = sourceFiles();

/** Entries of `src/` itself are the folder `.`. */
const folderOf = (path: string): string => posix.dirname(path);

interface Step {
  readonly from: string;
  readonly to: string;
  readonly line: number;
}

/** Every import of another file of src/, types included. */
function steps({ path, imports }: Pick<SourceFile, 'path' | 'imports'>): readonly Step[] {
  return imports.flatMap((imported) => {
    const to = importedPath({ path }, imported);
    return to === null || to.startsWith('..') ? [] : [{ from: path, to, line: imported.line }];
  });
}

/** What imports from its own height or above, by its line. */
function climbing(all: readonly Step[], heights: ReadonlyMap<string, number>): readonly string[] {
  const heightOf = (path: string): number => heights.get(folderOf(path)) ?? Number.NaN;
  return all
    .filter(({ from, to }) => folderOf(from) !== folderOf(to) && !(heightOf(to) < heightOf(from)))
    .map(
      ({ from, to, line }) =>
        `${from}:${line} on floor ${heightOf(from)} imports ${to} on floor ${heightOf(to)}`,
    );
}

/** Rows of the table of folders in docs/architecture.md: folder, floor, pure. */
function documented(): readonly (readonly [string, number, boolean])[] {
  const page = readFileSync(join(ROOT, 'docs/architecture.md'), 'utf8');
  const rows = page.matchAll(
    /^\| (?<floor>\d[\d.]*) \| `(?<folder>[^`]*)\/` \|.*\| (?<pure>yes|partly)? ?\|$/gm,
  );
  return [...rows].map(({ groups = {} }) => [
    groups['folder'] ?? '',
    Number(groups['floor']),
    groups['pure'] === 'yes',
  ]);
}

describe('floors', () => {
  it('every folder of src stands on one, and no floor is empty', () => {
    const folders = [...new Set(files.map(({ path }) => folderOf(path)))];
    expect([...floors.keys()].toSorted()).toEqual(folders.toSorted());
  });

  it('a folder imports from lower floors only, types too', () => {
    expect(climbing(files.flatMap(steps), floors)).toEqual([]);
  });

  it('names the line that climbs', () => {
    const heights = new Map([
      ['low', 1],
      ['low/cellar', 0.5],
      ['high', 2],
    ]);
    const all = [
      { from: 'low/a.ts', to: 'high/b.ts', line: 7 },
      { from: 'low/a.ts', to: 'low/c.ts', line: 8 },
      { from: 'low/a.ts', to: 'low/cellar/d.ts', line: 9 },
      { from: 'high/b.ts', to: 'low/a.ts', line: 1 },
    ];
    expect(climbing(all, heights)).toEqual(['low/a.ts:7 on floor 1 imports high/b.ts on floor 2']);
  });

  it('no file imports itself by way of others, types too', () => {
    const circles = cycles(graphOf(files.flatMap(steps).map(({ from, to }) => [from, to] as const)));
    expect(circles).toEqual([]);
  });

  it('are the ones that the page of the architecture tells', () => {
    const told = documented();
    const shown = [...floors].filter(([folder]) => folder !== '.');
    expect(told.map(([folder, floor]) => [folder, floor])).toEqual(shown);
    expect(
      told
        .filter(([, , isPure]) => isPure)
        .map(([folder]) => folder)
        // What stands in a pure folder is pure as well.
        .filter((folder) => !pure.some((other) => folder.startsWith(`${other}/`)))
        .toSorted(),
    ).toEqual(pure.toSorted());
  });
});
