import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { declared, observed } from '../../../src/model/pins.ts';
import { PINNED_FIELDS, pinDifferences } from '../../../src/plan/pinned-fields.ts';

describe('what a plan was made with', () => {
  it('is held against what is observed, by field', () => {
    const planned = [
      observed('RUNTIME.md sha256', 'a'.repeat(64)),
      observed('Rollout Bench dist sha256', 'b'.repeat(64)),
      declared('candidate checkpoint digest', 'sha256:1'),
      declared('policy commit', 'c'.repeat(40)),
      observed('GPU', 'one'),
    ];
    const now = [
      observed('RUNTIME.md sha256', 'absent'),
      observed('Rollout Bench dist sha256', null),
      declared('candidate checkpoint digest', 'sha256:2'),
      declared('policy commit', 'd'.repeat(40)),
      observed('GPU', 'another'),
    ];
    expect(pinDifferences(planned, now)).toEqual([
      { field: 'runtime', text: 'RUNTIME.md sha256 was aaaaaaaaaaaa, now "absent"' },
      { field: 'checkpoint', text: 'candidate checkpoint digest was "sha256:1", now "sha256:2"' },
      { field: 'dist', text: 'Rollout Bench dist sha256 was bbbbbbbbbbbb, now unknown' },
    ]);
  });

  it('holds nobody to what nobody knew then', () => {
    const now = [observed('simulator', 'sim'), observed('target fingerprint', 'a'.repeat(64))];
    expect(pinDifferences([observed('simulator', null)], now)).toEqual([]);
    // By a target that did not describe itself the fingerprint is another one.
    expect(pinDifferences([observed('target fingerprint', 'b'.repeat(64))], now)).toEqual([]);
    const described = [observed('simulator', 'sim'), observed('target fingerprint', 'b'.repeat(64))];
    expect(pinDifferences(described, now).map(({ field }) => field)).toEqual(['fingerprint']);
  });

  it('is never different from itself', () => {
    const pin = fc.record({ name: fc.string(), value: fc.string() });
    fc.assert(
      fc.property(fc.array(pin), (pins) => {
        const made = pins.map(({ name, value }) => observed(name, value));
        expect(pinDifferences(made, made)).toEqual([]);
      }),
    );
    expect(new Set(PINNED_FIELDS).size).toBe(PINNED_FIELDS.length);
  });
});
