import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { secretMasker, secretsIn } from '../../../src/bundle/secret-scan.ts';

describe('a masked text', () => {
  it('holds nothing that the scanner finds, wherever a secret stood in it', () => {
    const own = 'correct-horse-battery';
    const secrets = [
      own,
      Buffer.from(own).toString('base64'),
      `ghp_${'a1'.repeat(20)}`,
      `hf_${'b2'.repeat(20)}`,
      'https://alice:hunter22@nas.local/x',
    ];
    const part = fc.oneof(fc.constantFrom(...secrets), fc.string({ maxLength: 20 }));
    fc.assert(
      fc.property(fc.array(part, { maxLength: 6 }), (parts) => {
        expect(secretsIn(secretMasker([own])(parts.join(' ')), [own])).toEqual([]);
      }),
    );
  });

  it('is the same text when there is none', () => {
    expect(secretMasker(['correct-horse-battery'])('target not found: x')).toBe('target not found: x');
  });
});
