import { describe, expect, it } from 'vitest';
import { loadYaml } from '../../../src/pyyaml/load.ts';
import { hasNonTextKey, readDocument } from '../../../src/pyyaml/read.ts';
import { PyFloat, PyTimestamp } from '../../../src/pyyaml/values.ts';
import { YamlError } from '../../../src/pyyaml/yaml-error.ts';

/* Values that the runtime's reader gave for these texts; the differential test looks at thousands more. */

function refusalOf(text: string): YamlError {
  try {
    loadYaml(text);
  } catch (error) {
    if (error instanceof YamlError) return error;
    throw error;
  }
  throw new Error(`taken: ${text.slice(0, 200)}`);
}

describe('what other readers refuse', () => {
  it.each([
    ['a: [\n  b\n]\nc: 1', { a: ['b'], c: 1 }],
    ['k:\n  a: {\n    b: 1\n  }\n', { k: { a: { b: 1 } } }],
    ['k:\n  a: [\n    b\n]\n', { k: { a: ['b'] } }],
    ['a: {b: c\n}', { a: { b: 'c' } }],
    ['a: "b"#c', { a: 'b' }],
    ['a: 1\n...\n...\n# end', { a: 1 }],
    ['%X y\n---\na: 1', { a: 1 }],
    ['- - a\n  - b\n-\n  c', [['a', 'b'], 'c']],
    ['a:\n- b\n-\nc:', { a: ['b', null], c: null }],
    ['? a\n: b\n? c', { a: 'b', c: null }],
    ['[a: 1, ? b, c]', [{ a: 1 }, { b: null }, 'c']],
    ['\ufeffa: 1', { a: 1 }],
    ['a: !!int " ３ "', { a: 3 }],
    ['a: !!float {=: 1.5}', { a: 1.5 }],
  ])('%j', (text, value) => {
    expect(loadYaml(text)).toEqual(value);
  });
});

describe('what other readers take', () => {
  it.each([
    ['a:\tb', 1],
    ['a: b\t# c', 1],
    ['x: 1\na: [b?c, ?d? e]', 2],
    ['a: &x 1\nb: &x 2', 2],
    ['a: &cam.front 1', 1],
    ['a: |#c\n  b', 1],
    ['a: 1\nb: "x\n---\nc"', 3],
    ['a: "\\q"', 1],
    ['a: *b', 1],
    ['a: !x b', 1],
    ['a: =', 1],
    ['- <<', 1],
    ['a: 2026-02-30', 1],
    ['a: 0x_', 1],
    ['{[a]: 1}', 1],
    ['a: 1\n---\nb: 2', 2],
    [`${'k'.repeat(1100)}: 1`, 1],
    ['a: "b\x7fc"', 1],
    ['a: "\ud800"', 1],
  ])('%j in line %i', (text, line) => {
    const error = refusalOf(text);
    expect([error.line, error.isOurs]).toEqual([line, false]);
  });

  it('says why in the words of the runtime, with the column', () => {
    const error = refusalOf('a: 1\n  b: 2');
    expect([error.message, error.line, error.column]).toEqual(['mapping values are not allowed here', 2, 4]);
  });
});

describe('what other readers take for something else', () => {
  it.each([
    ['a: ! 3', { a: 3 }],
    ['a: | #c\n  b', { a: 'b' }],
    ['a: b\u2028  c', { a: 'b\u2028c' }],
    ['a: b\u0085  c', { a: 'b c' }],
    [
      '- !!omap [a: 1, a: 2]',
      [
        [
          ['a', 1],
          ['a', 2],
        ],
      ],
    ],
    ['a: !!set {b, c}', { a: new Set(['b', 'c']) }],
    ['a: !!binary aGk=', { a: Uint8Array.from([104, 105]) }],
    ['a: {b: 1, <<: {b: 2, c: 3}}', { a: { b: 1, c: 3 } }],
    ['a: {<<: [{b: 1}, {b: 2, c: 3}]}', { a: { b: 1, c: 3 } }],
  ])('%j', (text, value) => {
    // Pairs are lists of their own class, so that a writer could tell them apart.
    expect(JSON.stringify(loadYaml(text))).toBe(JSON.stringify(value));
    if (!text.includes('omap')) expect(loadYaml(text)).toEqual(value);
  });

  it('takes 1, 1.0 and true for one key, and one instant in two zones', () => {
    const read = (text: string): unknown => loadYaml(text, { keepTypes: true });
    expect(read('{1: a, true: b, 1.0: c}')).toEqual(new Map([[1, 'c']]));
    expect(read('{1.0: a, 1: b}')).toEqual(new Map([[new PyFloat(1), 'b']]));
    expect(read('{2026-08-03T10:00:00Z: a, 2026-08-03T12:00:00+02:00: b}')).toEqual(
      new Map([[new PyTimestamp('2026-08-03T10:00:00Z'), 'b']]),
    );
  });

  it('marks a mapping whose keys were no text', () => {
    const value = loadYaml('a: {1: b}\nc: {d: e}') as Record<string, object>;
    expect([hasNonTextKey(value['a'] ?? {}), hasNonTextKey(value['c'] ?? {})]).toEqual([true, false]);
    expect(hasNonTextKey({ ...value['a'], own: 1 })).toBe(false);
    expect(value['a']).toStrictEqual({ 1: 'b' });
  });

  it('keeps a key __proto__ as a key', () => {
    const value = loadYaml('__proto__: {a: 1}') as object;
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(Object.entries(value)).toEqual([['__proto__', { a: 1 }]]);
  });
});

describe('base64', () => {
  it.each(['aG\ufeff', 'aGk=\ufeff', '\u2028aGk=', 'aGk=\u00e9'])(
    'of more than ASCII is refused: %j',
    (text) => {
      expect(refusalOf(`a: !!binary "${text}"`).message).toContain('base64 data');
    },
  );
});

describe('limits', () => {
  const nested = (depth: number): string => `${'['.repeat(depth)}${']'.repeat(depth)}`;

  it('reads what the runtime can, and says how deep is too deep', () => {
    expect(() => loadYaml(nested(480))).not.toThrow();
    const error = refusalOf(`a:\n  ${nested(100_000)}`);
    expect(error.message).toMatch(/^nested more than 480 levels deep/);
    expect([error.line, error.isOurs]).toEqual([2, false]);
  });

  it('refuses by key what contains itself', () => {
    const text = 'sessions:\n- id: x\n  note: &n\n    self: [*n]\n';
    expect(readDocument(text).hasAliases).toBe(true);
    const error = refusalOf(text);
    expect(error.message).toBe(
      'the value of sessions[0].note.self[0] cannot be used: it contains itself through an alias',
    );
    expect(error.isOurs).toBe(true);
  });

  it('refuses aliases and merges that multiply', () => {
    const bomb = [
      'a0: &a0 [x]',
      ...Array.from({ length: 9 }, (_, i) => `a${i + 1}: &a${i + 1} [${`*a${i},`.repeat(9)}]`),
    ];
    expect(refusalOf(bomb.join('\n')).message).toContain('its aliases stand for more than 1000000 values');
    const merges = [
      'a0: &a0 {x: 1}',
      ...Array.from({ length: 9 }, (_, i) => `a${i + 1}: &a${i + 1} {<<: [${`*a${i},`.repeat(9)}]}`),
    ];
    const error = refusalOf(merges.join('\n'));
    expect([error.message, error.isOurs]).toEqual([
      'merge keys (<<) put together more than 1000000 entries',
      true,
    ]);
  });

  it('refuses aliases that nest without end', () => {
    const chain = ['a0: &a0 []', ...Array.from({ length: 5000 }, (_, i) => `a${i + 1}: &a${i + 1} [*a${i}]`)];
    expect(refusalOf(chain.join('\n')).message).toContain('its aliases nest more than');
  });

  it('refuses half a character, which nobody can write', () => {
    const error = refusalOf('a: 1\nb: "\\ud83d\\ude00"');
    expect([error.line, error.isOurs]).toEqual([2, true]);
  });

  it('takes time in proportion to the text', () => {
    const texts = [
      `[${'😀,'.repeat(60_000)}]`,
      `a: "${'x '.repeat(200_000)}"`,
      `${'- '.repeat(400)}a`,
      `a: ${'!'.repeat(50_000)}`,
      `{${'a: b, '.repeat(60_000)}}`,
      `a: |\n${'  😀\n'.repeat(60_000)}`,
    ];
    const cpu = process.cpuUsage();
    for (const text of texts) {
      try {
        loadYaml(text);
      } catch (error) {
        expect(error).toBeInstanceOf(YamlError);
      }
    }
    const { user, system } = process.cpuUsage(cpu);
    expect((user + system) / 1e6).toBeLessThan(20);
  });
});
