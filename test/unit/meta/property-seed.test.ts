import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { propertySeed } from '../../../.github/config/property-seed.ts';

const never = (): number => {
  throw new Error('nothing here is left to chance');
};

describe('the seed of the property tests', () => {
  it('is the same in every ordinary run', () => {
    expect(propertySeed(undefined, never)).toBe(1);
    expect(propertySeed('', never)).toBe(1);
  });

  it('is the one that is named, or drawn where that is asked for', () => {
    expect(propertySeed('0', never)).toBe(0);
    expect(propertySeed('2147483647', never)).toBe(2_147_483_647);
    expect(propertySeed('random', () => 0.5)).toBe(2 ** 30);
  });

  it.each(['-1', '1.5', '0x10', '2147483648', 'Random', ' 1'])('is not %j', (wanted) => {
    expect(() => propertySeed(wanted, never)).toThrow(`RB_PROPERTY_SEED is ${wanted}`);
  });

  it('is given to fast-check before any test', () => {
    expect(fc.readConfigureGlobal().seed).toBe(Number(process.env['RB_PROPERTY_SEED']));
  });
});
