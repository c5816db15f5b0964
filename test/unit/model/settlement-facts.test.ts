import { describe, expect, it } from 'vitest';
import { redactedFacts } from '../../../src/bundle/redact-bundle.ts';
import { MAX_CHANGES, mergedSettlement, type Settlement } from '../../../src/model/settlement-facts.ts';
import { settlementReasons } from '../../../src/verdict/run-decision.ts';
import { makeRunFacts } from '../results/record-builder.ts';

const unchanged: Settlement = {
  measuredUnchanged: true,
  workspaceUnchanged: true,
  foreignUnchanged: true,
  foreignEntries: 3,
  changes: [],
};
const foreign: Settlement['changes'][number] = {
  concerns: 'foreign',
  what: 'entries gone from SESSIONS.md (1)',
  names: ['kitchen-1'],
};
const measured: Settlement['changes'][number] = {
  concerns: 'measured',
  what: 'the contract file of the target is another one',
  names: [],
};

describe('how the hosts of shards were left', () => {
  it('is as bad as on the worst of them', () => {
    const other: Settlement = { ...unchanged, foreignUnchanged: false, changes: [foreign] };
    expect(mergedSettlement([unchanged, other])).toEqual({
      ...unchanged,
      foreignUnchanged: false,
      foreignEntries: 6,
      changes: [foreign],
    });
  });

  it('is not known when one host did not look, and still changed when another one was', () => {
    const changed: Settlement = { ...unchanged, measuredUnchanged: false, changes: [measured] };
    expect(mergedSettlement([undefined, changed])).toMatchObject({
      measuredUnchanged: false,
      workspaceUnchanged: null,
      foreignEntries: null,
    });
    expect(mergedSettlement([undefined, undefined])).toBeUndefined();
  });

  it('never loses the change that makes it INVALID behind many that are only said', () => {
    const many: Settlement = { ...unchanged, changes: Array.from({ length: MAX_CHANGES }, () => foreign) };
    const changed: Settlement = { ...unchanged, measuredUnchanged: false, changes: [measured] };
    const settlement = mergedSettlement([many, changed]);
    expect(settlement?.changes).toHaveLength(MAX_CHANGES);
    expect(settlementReasons(makeRunFacts({ ...(settlement && { settlement }) }))).toEqual([
      { code: 'measured_changed', text: expect.stringContaining(measured.what) },
    ]);
  });
});

describe('a settlement', () => {
  it('is no reason when nobody looked, or could look', () => {
    expect(settlementReasons(makeRunFacts())).toEqual([]);
    expect(
      settlementReasons(makeRunFacts({ settlement: { ...unchanged, measuredUnchanged: null } })),
    ).toEqual([]);
  });

  it('goes out without the names that others gave their sessions', () => {
    const run = makeRunFacts({ settlement: { ...unchanged, foreignUnchanged: false, changes: [foreign] } });
    const published = redactedFacts(run, (text) => text);
    expect(published.settlement?.changes).toEqual([{ ...foreign, names: [] }]);
    expect(redactedFacts(makeRunFacts(), (text) => text)).not.toHaveProperty('settlement');
  });
});
