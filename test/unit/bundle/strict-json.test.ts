import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NotStrictJson, parseStrictJson } from '../../../src/bundle/strict-json.ts';

describe('parseStrictJson', () => {
  it('reads what JSON.parse reads', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(undefined, 1, '\t'), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        expect(parseStrictJson(text)).toEqual(JSON.parse(text));
      }),
    );
  });

  it.each([
    ['a key twice', '{"a": 1, "b": {"a": 2}, "a": 3}', /the key "a" twice/],
    ['a key twice, written in two ways', '{"a": 1, "\\u0061": 2}', /the key "a" twice/],
    ['a key twice in a map of a list', '[{"x\\\\": 1, "x\\\\" : 2}]', /twice/],
    ['a text that does not end', '{"a": "b', /not JSON/],
    ['something else', 'plan', /not JSON/],
    ['a hundred and one levels', `${'['.repeat(101)}${']'.repeat(101)}`, /nested deeper/],
    ['too many lists', `[${'[],'.repeat(200_000)}[]]`, /holds more/],
    ['too many values', `[${'1,'.repeat(2_000_001)}1]`, /holds more/],
  ])('refuses %s', (_what, text, message) => {
    expect(() => parseStrictJson(text)).toThrow(NotStrictJson);
    expect(() => parseStrictJson(text)).toThrow(message);
  });

  it('takes equal keys in different maps, and texts that look like keys', () => {
    expect(parseStrictJson('[{"a": "a"}, {"a": ["a", "a"]}]')).toEqual([{ a: 'a' }, { a: ['a', 'a'] }]);
  });

  it.each(['{"x": 1e999}', '[-1E+400]', `[${'9'.repeat(400)}]`])(
    'refuses a number without end: %s',
    (text) => {
      expect(() => parseStrictJson(text)).toThrow(/a number that is too large/);
    },
  );

  it('takes large numbers, and texts that look like endless ones', () => {
    expect(parseStrictJson('{"x": 1e308, "y": "1e999"}')).toEqual({ x: 1e308, y: '1e999' });
  });
});
