import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { stableJson, stableJsonParts } from '../../../src/base/stable-json.ts';
import { hashOfBytes } from '../../../src/files/hash-file.ts';
import { PackedDigests } from '../../../src/files/packed-digests.ts';

const names = fc.array(fc.string({ unit: 'binary', maxLength: 6 }), { maxLength: 40 });

describe('PackedDigests', () => {
  it('gives back what was added last of each name, in order of code units', () => {
    fc.assert(
      fc.property(names, names, (added, left) => {
        const packed = new PackedDigests();
        const plain = new Map(
          added.map((name, at) => [name, hashOfBytes(Buffer.from(`${name} ${at}`))] as const),
        );
        for (const [at, name] of added.entries()) packed.add(name, hashOfBytes(Buffer.from(`${name} ${at}`)));
        const expected = [...plain.keys()]
          .filter((name) => !left.includes(name))
          .sort()
          .map((name) => ({ path: name, ...plain.get(name) }));
        expect([...packed.sorted(new Set(left))]).toEqual(expected);
      }),
    );
  });

  it('holds more than it has room for at first, and any size of file', () => {
    const packed = new PackedDigests();
    const digests = Array.from({ length: 5000 }, (_, at) => ({
      path: `f${at}`,
      ...hashOfBytes(Buffer.from(`${at}`)),
      bytes: at * 2 ** 33,
    }));
    for (const { path, ...digest } of digests) packed.add(path, digest);
    const byPath = new Map([...packed.sorted()].map((each) => [each.path, each]));
    expect(digests.map(({ path }) => byPath.get(path))).toEqual(digests);
  });

  it('is written as JSON without ever being a list', () => {
    const packed = new PackedDigests();
    expect([...stableJsonParts({ files: packed.sorted() })].join('')).toBe(stableJson({ files: [] }));
    packed.add('b', hashOfBytes(Buffer.from('b')));
    packed.add('a', hashOfBytes(Buffer.from('a')));
    expect([...stableJsonParts({ files: packed.sorted(), z: 1 })].join('')).toBe(
      stableJson({ files: [...packed.sorted()], z: 1 }),
    );
  });
});
