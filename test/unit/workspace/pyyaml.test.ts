import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dumpYaml } from '../../../src/workspace/dump-yaml.ts';
import { loadYaml, PyFloat, PyTimestamp, YamlError } from '../../../src/workspace/pyyaml.ts';

describe('reading as the runtime reads', () => {
  it.each([
    ['off', false],
    ['on', true],
    ['Yes', true],
    ['NO', false],
    ['y', 'y'],
    ['n', 'n'],
    ['~', null],
    ['null', null],
    ['', null],
    ['12:30:45', 45045],
    ['12:30', 750],
    ['1_000', 1000],
    ['0o17', '0o17'],
    ['017', 15],
    ['08', '08'],
    ['1e3', '1e3'],
    ['4e60', '4e60'],
    ['1.5e+3', 1500],
    ['0x1f', 31],
    ['-0b101', -5],
    ['0x0b1', 0xb1],
    ['-0x0b_b_', -0xbb],
    ['.5', 0.5],
    ['1.', 1],
    ['+1', 1],
    ['-.inf', Number.NEGATIVE_INFINITY],
    ['190:20:30.15', 685230.15],
    ['1795915264000000001', 1795915264000000001n],
    ['t03-i007', 't03-i007'],
    ['"off"', 'off'],
    ["'it''s'", "it's"],
    ['"\\/"', '/'],
  ])('%s', (source, value) => {
    expect(loadYaml(`k: ${source}`)).toEqual({ k: value });
    expect(loadYaml(`- ${source}`)).toEqual([value]);
  });

  it('keeps the text of dates and time stamps', () => {
    expect(loadYaml('a: 2026-08-03\nb: 2026-08-03T10:00:00Z\nc: 2026-8-3')).toEqual({
      a: new PyTimestamp('2026-08-03'),
      b: new PyTimestamp('2026-08-03T10:00:00Z'),
      c: '2026-8-3',
    });
  });

  it.each([
    'k: =',
    'k: <<',
    '- =',
    '- <<',
    '=',
    'k: 2026-13-01',
    'k: 0x_',
    'k: [',
    'k: "a\x7fb"',
    'a: 1\n---\nb: 2',
    '\tk: 1',
  ])('refuses %j', (text) => {
    expect(() => loadYaml(text)).toThrow(YamlError);
  });

  it('says the line of a mistake', () => {
    const failing = () => loadYaml('a: 1\nb: "x\nc: 3\n');
    expect(failing).toThrow(YamlError);
    try {
      failing();
    } catch (error) {
      expect(error instanceof YamlError && error.line !== null && error.line >= 2).toBe(true);
    }
  });

  it('takes the last of duplicate keys, and lets a mapping override what it merges', () => {
    expect(loadYaml('a: 1\na: 2')).toEqual({ a: 2 });
    expect(loadYaml('base: &b {x: 1, y: 2}\nk:\n  y: 3\n  <<: *b\n')).toEqual({
      base: { x: 1, y: 2 },
      k: { x: 1, y: 3 },
    });
  });

  it('takes = and a quoted << as keys', () => {
    expect(loadYaml('=: 1\n"<<": 2')).toEqual({ '=': 1, '<<': 2 });
  });

  it.each(['', '# only a comment\n', '\n\n', '---\n'])('takes %j as nothing', (text) => {
    expect(loadYaml(text)).toBeNull();
  });

  it('keeps kinds of numbers and keys when asked', () => {
    const text = 'a: 300.0\nb: 300\n1: x\nnull: z\n2026-01-01: z\n"2": [1.0]\n';
    expect(dumpYaml(loadYaml(text, { keepTypes: true }))).toBe(
      "a: 300.0\nb: 300\n1: x\nnull: z\n2026-01-01: z\n'2':\n- 1.0\n",
    );
  });

  it('unfolds the line separators that the peer writes bare', () => {
    expect(loadYaml("k: 'a\u2028  b'\n")).toEqual({ k: 'a\u2028b' });
    expect(loadYaml("k: 'a\u2028\n\n  b'\n")).toEqual({ k: 'a\u2028\n\nb' });
    expect(loadYaml("k: 'a\u0085  b'\n")).toEqual({ k: 'a b' });
  });
});

describe('writing for the runtime', () => {
  it.each(['a\n\n', 'a\n\n\n', '...\n\n'])('ends without a document marker: %j', (note) => {
    const text = dumpYaml([{ session_id: 'x', note }]);
    expect(text).not.toMatch(/^\.\.\.$/m);
    expect(loadYaml(text)).toEqual([{ session_id: 'x', note }]);
  });

  it('quotes what would be read as something else', () => {
    for (const text of [
      'off',
      'y',
      '12:30',
      '2026-08-03',
      '1_000',
      '017',
      '0o17',
      '1e3',
      '=',
      '<<',
      '',
      '~',
      '-0x_',
      '# a',
      ' a',
    ]) {
      expect(dumpYaml({ k: text })).toMatch(/^k: ["']/);
      expect(loadYaml(dumpYaml({ k: text }))).toEqual({ k: text });
    }
  });

  it('writes floats with a point and integers without', () => {
    expect(dumpYaml({ a: new PyFloat(300), b: 300, c: 0.1, d: 1e21, e: 1e-7, f: -0, g: 2n ** 64n })).toBe(
      'a: 300.0\nb: 300\nc: 0.1\nd: 1.0e+21\ne: 1.0e-7\nf: -0.0\ng: 18446744073709551616\n',
    );
  });

  it('writes lists without indentation, never folds and never writes references', () => {
    const shared = { x: 'word '.repeat(60).trim() };
    expect(dumpYaml({ list: [shared, shared] })).toBe(`list:\n- x: ${shared.x}\n- x: ${shared.x}\n`);
  });

  it('replaces halves of surrogate pairs and leaves out undefined', () => {
    expect(loadYaml(dumpYaml({ a: 'x\ud800y', b: undefined }))).toEqual({ a: 'x\ufffdy' });
  });

  it('refuses what YAML cannot carry', () => {
    expect(() => dumpYaml({ a: () => 1 })).toThrow(TypeError);
    expect(() => dumpYaml({ '--- a': 1 })).toThrow(TypeError);
  });

  it('reads back what it wrote', () => {
    const scalar = fc.oneof(
      fc.string({ unit: 'binary' }).map((text) => text.replace(/[\ud800-\udfff]/gu, '')),
      fc.string(),
      fc.double(),
      fc.maxSafeInteger(),
      fc.boolean(),
      fc.constant(null),
      fc.bigInt({ min: 2n ** 53n, max: 2n ** 70n }),
    );
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 3 },
        scalar,
        fc.array(tie('value'), { maxLength: 4 }),
        fc.dictionary(fc.string(), tie('value'), { maxKeys: 4 }),
      ),
    }));
    fc.assert(
      fc.property(value, (input) => {
        expect(loadYaml(dumpYaml({ k: input }))).toEqual({ k: input });
      }),
      { numRuns: 500 },
    );
  });
});
