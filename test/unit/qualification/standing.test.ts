import { describe, expect, it } from 'vitest';
import { standingsOf, standingText } from '../../../src/qualification/standing.ts';
import { BOUND, makeQualification } from './qualification-builder.ts';

const { tool } = BOUND;
const NOW = Date.parse('2026-11-29T15:30:00.000Z');
const textsOf = (...kept: Parameters<typeof standingsOf>[0]) =>
  standingsOf(kept, tool).map((each) => standingText(each, NOW));

describe('how a qualification stands', () => {
  it('is told of the newest one of each suite, with its age', () => {
    const old = makeQualification({ id: 'old', qualifiedAt: '2026-11-20T12:00:00.000Z', qualified: false });
    const other = makeQualification({ id: 'other', bound: { ...BOUND, suite: 'libero_10' } });
    expect(textsOf(makeQualification(), old, other)).toEqual([
      'libero_10 qualified 3 hours ago by this version; its evidence was not checked',
      'libero_spatial qualified 3 hours ago by this version; its evidence was not checked',
    ]);
    expect(textsOf()).toEqual([]);
  });

  it('says when a newer one did not pass, and what did not', () => {
    const failed = makeQualification({
      qualified: false,
      qualifiedAt: '2026-11-29T15:00:00.000Z',
      skipped: ['no-motion'],
      controls: makeQualification().controls.map((control) => ({ ...control, state: 'skipped' })),
    });
    expect(textsOf(makeQualification(), failed)).toEqual([
      'libero_spatial did not pass 30 minutes ago (no-motion skipped)',
    ]);
  });

  it('does not call one of another version or build good for this program', () => {
    for (const before of [
      { ...tool, version: '0.0.9' },
      { ...tool, distHash: 'e'.repeat(64) },
    ])
      expect(textsOf(makeQualification({ bound: { ...BOUND, tool: before } }))).toEqual([
        `libero_spatial qualified 3 hours ago by another version or build (${before.version}), which does not count for this one`,
      ]);
  });

  it('counts two of the same moment once', () => {
    expect(standingsOf([makeQualification({ id: 'a' }), makeQualification({ id: 'b' })], tool)).toHaveLength(
      1,
    );
  });
});
