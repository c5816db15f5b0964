import { describe, expect, it } from 'vitest';
import { resumeDifferences } from '../../../src/queue/attempts.ts';

describe('resumeDifferences', () => {
  const earlier = { planDigest: 'a'.repeat(64), identity: { head: 'c1', policy: null } };

  it('finds none for the same plan, commit and policy', () => {
    expect(resumeDifferences(earlier, earlier)).toEqual([]);
  });

  it('names each difference, also between known and unknown', () => {
    const now = { planDigest: 'b'.repeat(64), identity: { head: 'c2', policy: 'p' } };
    const found = resumeDifferences(earlier, now);
    expect(found).toHaveLength(3);
    expect(found.join('\n')).toContain('policy: was unknown, is p');
  });
});
