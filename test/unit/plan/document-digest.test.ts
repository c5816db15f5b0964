import { describe, expect, it } from 'vitest';
import { canonicalDigest } from '../../../src/base/canonical-json.ts';
import { documentDigest } from '../../../src/plan/document-digest.ts';
import { cellTargetId } from '../../../src/plan/ids.ts';
import { loadYaml } from '../../../src/pyyaml/load.ts';
import { equalValues } from '../../../src/queue/equality.ts';

describe('the digest of a document of the runtime', () => {
  it('is that of its canonical JSON when JSON can hold it', () => {
    const value = { b: [1, 'x', null, true], a: { c: 0.5 } };
    expect(documentDigest(value)).toBe(canonicalDigest(value));
    expect(documentDigest(loadYaml('a: 2026-08-03'))).toBe(canonicalDigest({ a: { text: '2026-08-03' } }));
  });

  it('tells every value apart that the reader gives', () => {
    const texts = [
      ...['.inf', '-.inf', '.nan', 'null', '0', '"Infinity"', '"NaN"', '{}', '[]', '""'],
      ...['9007199254740993', '"9007199254740993"', '9007199254740995', '9007199254740992.0'],
      ...[
        '2026-08-03',
        '!!binary aGk=',
        '!!binary aGo=',
        '!!set {a, b}',
        '!!set {a}',
        '!!set {}',
        '{a: null}',
      ],
    ];
    const values = texts.map((text) => loadYaml(`config: ${text}`));
    expect(new Set(values.map(documentDigest)).size).toBe(texts.length);
    for (const value of values) {
      for (const other of values)
        expect(equalValues(value, other)).toBe(documentDigest(value) === documentDigest(other));
    }
  });

  it('does not depend on the order of keys or of a set', () => {
    expect(documentDigest(loadYaml('{a: .inf, b: !!set {c, d}}'))).toBe(
      documentDigest(loadYaml('{b: !!set {d, c}, a: .inf}')),
    );
  });

  it('names a cell target whose config holds an infinity', () => {
    expect(cellTargetId('t', { max_force: Number.POSITIVE_INFINITY })).toMatch(/^t--rb-[0-9a-f]{8}$/);
  });
});
