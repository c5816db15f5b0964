import { describe, expect, it } from 'vitest';
import { components, cycles, graphOf, longestPath } from '../../../.github/scripts/structure/graph.ts';
import { measure } from '../../../.github/scripts/structure/measure.ts';
import { readSource } from '../../../.github/scripts/structure/sources.ts';

const TREE = [
  readSource(
    'app/run.ts',
    [
      "import { step } from '../stage/step.ts';",
      'export const run = async () => {',
      "  const { late } = await import('../stage/late.ts');",
      '  return late(step);',
      '};',
    ].join('\n'),
  ),
  readSource(
    'stage/step.ts',
    [
      "import type { Shape } from '../shape/shape.ts';",
      'export function step(shape: Shape): number {',
      '  return inner(shape as unknown as number);',
      '}',
      'function inner(size: any) { return inner(size - 1); }',
      'export const UNUSED = 1;',
    ].join('\n'),
  ),
  readSource(
    'stage/late.ts',
    'export const late = (next: unknown) => next;\nconst copied = (a: number) => a + 1;',
  ),
  readSource(
    'shape/shape.ts',
    "import { late } from '../stage/late.ts';\nexport interface Shape { side: number }\nlate(copied);\nconst copied = (a: number) => a + 1;",
  ),
];

const figure = (what: string): { readonly value: string; readonly names: readonly string[] } => {
  const found = measure(TREE).find((each) => each.what.startsWith(what));
  return { value: found?.value ?? '', names: found?.names ?? [] };
};

describe('graphs', () => {
  const graph = graphOf([
    ['a', 'b'],
    ['b', 'c'],
    ['c', 'b'],
    ['c', 'd'],
    ['d', 'd'],
  ]);

  it('finds what reaches itself by way of others', () => {
    expect(cycles(graph)).toEqual([['b', 'c']]);
    expect(components(graph).map((group) => group.toSorted())).toEqual([['d'], ['b', 'c'], ['a']]);
  });

  it('counts a circle as one step of a path', () => {
    expect(longestPath(graph, 'a')).toEqual(['a', 'b + c', 'd']);
    expect(longestPath(graph, 'unknown')).toEqual([]);
  });
});

describe('the figures of a tree', () => {
  it('tells circles by value from those of types', () => {
    expect(figure('folders in an import cycle, by value').names).toEqual([]);
    expect(figure('folders in an import cycle, with types').names).toEqual(['shape', 'stage']);
    expect(figure('files in an import cycle').names).toEqual([]);
  });

  it('follows calls through imports, late ones too', () => {
    expect(figure('longest static call chain').names).toEqual([
      'app/run.ts:run',
      'stage/step.ts:step',
      'stage/step.ts:inner',
    ]);
  });

  it('knows who uses a file and its names', () => {
    expect(figure('files with one importer').names).toEqual(['stage/step.ts', 'shape/shape.ts']);
    expect(figure('exported names').names).toEqual(['app/run.ts:run', 'stage/step.ts:UNUSED']);
  });

  it('finds copies, casts and any', () => {
    expect(figure('functions written').names).toEqual(['copied: stage/late.ts, shape/shape.ts']);
    expect(figure('casts').value).toBe('2');
    expect(figure('any').value).toBe('1');
    expect(figure('lines of a function').value).toBe('1, 3, 4');
  });
});
