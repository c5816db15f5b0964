import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hashOfBytes } from '../../../src/files/hash-file.ts';
import { textDigest, textPieces } from '../../../src/files/text-pieces.ts';

const PIECE = 128 * 1024;

function whole(parts: readonly string[]): Buffer {
  // One buffer serves all pieces, so each is copied before the next is made.
  return Buffer.concat(Array.from(textPieces(parts), (each) => Buffer.from(each)));
}

describe('textPieces', () => {
  it('is the UTF-8 of its parts, whatever is in them', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary' })), (parts) => {
        expect(whole(parts)).toEqual(Buffer.from(parts.join(''), 'utf8'));
      }),
    );
  });

  it('cuts no character in two, wherever the end of a piece falls', () => {
    for (let before = 0; before < 5; before += 1) {
      const text = `${'x'.repeat(before)}${'𝄞é'.repeat(60_000)}`;
      expect(whole([text]).equals(Buffer.from(text, 'utf8'))).toBe(true);
      expect(whole([text, text]).equals(Buffer.from(text + text, 'utf8'))).toBe(true);
    }
  });

  it('gives pieces of a bounded size, and none of nothing', () => {
    const sizes = Array.from(textPieces(['y'.repeat(1_000_000)]), (each) => each.byteLength);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(PIECE);
    expect(sizes.length).toBeLessThan(12);
    expect([...textPieces(['', ''])]).toEqual([]);
  });

  it('has the digest of the whole', () => {
    const text = 'Aufgabe 1: Schüssel 🥣\n'.repeat(20_000);
    expect(textDigest([text.slice(0, 77), text.slice(77)])).toEqual(hashOfBytes(Buffer.from(text, 'utf8')));
  });
});
