import { describe, expect, it } from 'vitest';
import { declared, mergedPins, observed, pinSchema, pinsSummary, pinText } from '../../../src/model/pins.ts';

const pins = [
  observed('contract', 'c0ffee'),
  declared('checkpoint digest', 'sha256:1'),
  declared('image digest', null),
];

describe('pins', () => {
  it('say what was only declared, and what nobody knows', () => {
    expect(pinsSummary(pins)).toBe(
      '1 observed; declared and not checked: checkpoint digest; unknown: image digest',
    );
    expect(pins.map(pinText)).toEqual(['c0ffee', 'sha256:1 (declared, not checked)', 'unknown']);
  });

  it('are never unknown with a value, nor known without one', () => {
    expect(pinSchema.safeParse({ name: 'x', value: null, source: 'observed' }).success).toBe(false);
    expect(pinSchema.safeParse({ name: 'x', value: '1', source: 'unknown' }).success).toBe(false);
  });

  it('are unknown for a whole whose shards differ', () => {
    expect(mergedPins([pins, [observed('contract', 'beef'), ...pins.slice(1)]])).toEqual([
      observed('contract', null),
      ...pins.slice(1),
    ]);
    expect(mergedPins([pins, pins])).toEqual(pins);
    expect(mergedPins([pins, []]).every(({ source }) => source === 'unknown')).toBe(true);
  });
});
