import { describe, expect, it } from 'vitest';
import { writeRuntimeJson } from '../../../src/host/runtime-json.ts';
import { pythonFloat, writeRuntimeYaml } from '../../../src/host/yaml-writer.ts';
import { PyFloat, PyTimestamp } from '../../../src/workspace/pyyaml.ts';

describe('YAML as the runtime lays it out', () => {
  it('folds long text past 80 columns at a single blank', () => {
    const text = `${'word '.repeat(20)}end`;
    const lines = writeRuntimeYaml({ a: [{ key: text }] }).split('\n');
    expect(lines[0]).toBe('a:');
    expect(lines[1]?.length).toBeGreaterThan(80);
    expect(lines[2]).toMatch(/^ {4}word/);
  });

  it.each([
    ['off', "'off'"],
    ['12:30:45', "'12:30:45'"],
    ['2026-01-01', "'2026-01-01'"],
    ['', "''"],
    ['a: b', "'a: b'"],
    ['a:b', 'a:b'],
    ["it's", "it's"],
    ["'quoted'", "'''quoted'''"],
    ['- x', "'- x'"],
    ['-x', '-x'],
    ['x #y', "'x #y'"],
    [' led', "' led'"],
    ['tab\there', '"tab\\there"'],
    ['é你😀', 'é你😀'],
    ['1e3', '1e3'],
    ['x\ny', "'x\n\n  y'"],
    ['x \n y', '"x \\n y"'],
  ])('%j is written %s', (text, expected) => {
    expect(writeRuntimeYaml({ k: text })).toBe(`k: ${expected}\n`);
  });

  it('keeps floats, dates and empty collections apart', () => {
    const value = {
      f: new PyFloat(300),
      g: 0.5,
      i: 3,
      n: null,
      b: false,
      d: new PyTimestamp('2026-01-01'),
      l: [],
      m: {},
    };
    expect(writeRuntimeYaml(value)).toBe(
      'f: 300.0\ng: 0.5\ni: 3\nn: null\nb: false\nd: 2026-01-01\nl: []\nm: {}\n',
    );
  });

  it('puts list dashes at the column of their key', () => {
    expect(writeRuntimeYaml({ a: [{ b: 1, c: [2, [3, 4]] }] })).toBe(
      'a:\n- b: 1\n  c:\n  - 2\n  - - 3\n    - 4\n',
    );
  });

  it.each([
    [1e-5, '1e-05'],
    [1e16, '1e+16'],
    [0.0001, '0.0001'],
    [123456.789, '123456.789'],
    [1.5e-7, '1.5e-07'],
  ])('%d is %s in Python', (value, text) => {
    expect(pythonFloat(value)).toBe(text);
  });
});

describe('JSON as the runtime writes it', () => {
  it('sorts keys, escapes beyond ASCII, and writes floats with their point and NaN as a word', () => {
    const value = { b: new PyFloat(1), a: 'é😀', c: [Number.NaN], d: {}, e: [], f: 2n ** 60n };
    expect(writeRuntimeJson(value)).toBe(
      '{\n  "a": "\\u00e9\\ud83d\\ude00",\n  "b": 1.0,\n  "c": [\n    NaN\n  ],\n  "d": {},\n  "e": [],\n  "f": 1152921504606846976\n}\n',
    );
  });
});
