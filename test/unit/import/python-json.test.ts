import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parsePythonJson } from '../../../src/import/importer/python-json.ts';

describe('JSON as Python writes it', () => {
  it('bare NaN and Infinity are unknown numbers', () => {
    expect(parsePythonJson('{"a": NaN, "b": [Infinity, -Infinity, 1]}')).toEqual({
      a: null,
      b: [null, null, 1],
    });
  });

  it('the same words inside of texts stay, and so does everything that JSON has', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.string(), (value, text) => {
        const told = { value, text: `${text} NaN -Infinity "quoted` };
        expect(parsePythonJson(JSON.stringify(told))).toEqual(JSON.parse(JSON.stringify(told)));
        const withNan = `[${JSON.stringify(told)}, NaN]`;
        expect(parsePythonJson(withNan)).toEqual([JSON.parse(JSON.stringify(told)), null]);
      }),
    );
  });

  it('a byte order mark is taken, a cut text is none', () => {
    expect(parsePythonJson('﻿{"a": 1}')).toEqual({ a: 1 });
    expect(() => parsePythonJson('{"a": NaN, "b": "')).toThrow(SyntaxError);
  });
});
