import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { withoutUnreadJson } from '../../../src/outcome/prune-json.ts';
import { parsePythonJson } from '../../../src/outcome/read-evidence.ts';

const prune = (text: string): unknown => {
  const pruned = withoutUnreadJson(Buffer.from(text));
  return pruned === null ? null : JSON.parse(pruned);
};

describe('withoutUnreadJson', () => {
  it('keeps what outcomes depend on and nothing of the rest', () => {
    const benchmark = { task_id: 3, success: true, chunks: [{ task_id: 9 }] };
    const metadata = { images: { left: [[1, 2], [3]] }, benchmark_summary: { a: [1] }, return_value: 1 };
    const text = JSON.stringify(
      { session_id: 'a"b\\', benchmark, metadata, frames: ['}', '{', '"'] },
      null,
      2,
    );
    expect(prune(text)).toEqual({
      session_id: 'a"b\\',
      benchmark: { task_id: 3, success: true, chunks: null },
      metadata: { images: null, benchmark_summary: {}, return_value: 1 },
      frames: null,
    });
  });

  it('leaves the read keys of any JSON as they are', () => {
    const keys = fc.constantFrom('status', 'benchmark', 'metadata', 'frames', 'x');
    const { tree } = fc.letrec<{ tree: unknown; leaf: unknown }>((tie) => ({
      tree: fc.oneof({ depthSize: 'small' }, tie('leaf'), fc.dictionary(keys, tie('tree'))),
      leaf: fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null), fc.array(fc.integer())),
    }));
    const expected = (value: unknown): unknown =>
      typeof value === 'object' && value !== null && !Array.isArray(value)
        ? Object.fromEntries(
            Object.entries(value).map(([key, member]) => [
              key,
              key === 'frames' || key === 'x' ? null : expected(member),
            ]),
          )
        : value;
    fc.assert(
      fc.property(tree, fc.constantFrom(undefined, 2), (value, indent) => {
        expect(prune(JSON.stringify(value, null, indent))).toEqual(expected(value));
      }),
    );
  });

  it.each(['{"a": [1, 2', '{"a" 1}', '{"status": "x"', '{"a": "', '{"a": 1} more', '{1: 2}'])(
    'refuses %s',
    (text) => expect(withoutUnreadJson(Buffer.from(text))).toBeNull(),
  );
});

describe('parsePythonJson', () => {
  it('passes over any number of quotes in one go', () => {
    const text = `{"a": NaN, "b": "NaN \\"", "c": -Infinity}`;
    expect(parsePythonJson(text)).toEqual({ a: null, b: 'NaN "', c: null });
    const began = performance.now();
    expect(() => parsePythonJson(`{"a": NaN, "b": "${'\\"'.repeat(500_000)}`)).toThrow(SyntaxError);
    expect(performance.now() - began).toBeLessThan(20_000);
  });
});
