import { describe, expect, it } from 'vitest';
import { foldLedger, type LedgerRecord } from '../../../src/lane/ledger.ts';

const at = '2026-11-29T00:00:00.000Z';
const own = (sessionId: string, cellTarget = 'T--rb-1'): LedgerRecord => {
  return { type: 'own', at, runId: 'r', sessionId, cellTarget, contract: `c/${cellTarget}.yaml` };
};

describe('foldLedger', () => {
  it('owns what was announced until it is released', () => {
    const released: LedgerRecord = { type: 'released', at, runId: 'r', sessionId: 'a', how: 'removed' };
    const holdings = foldLedger([own('a'), own('b'), released]);
    expect([...holdings.sessions.keys()]).toEqual(['b']);
    expect([...holdings.cellTargets.keys()]).toEqual(['T--rb-1']);
  });

  it('remembers when a pending session was withdrawn, for the cell target it named', () => {
    const holdings = foldLedger([
      own('a', 'T--rb-1'),
      own('b', 'T--rb-2'),
      { type: 'withdrawn', at, runId: 'r', sessionId: 'a', documentBytes: 500 },
    ]);
    expect(holdings.cellTargets.get('T--rb-1')?.withdrawn).toEqual({ at, documentBytes: 500 });
    expect(holdings.cellTargets.get('T--rb-2')?.withdrawn).toBeNull();
    expect([...holdings.sessions.keys()]).toEqual(['b']);
  });

  it('owns nothing after everything was taken out', () => {
    const holdings = foldLedger([
      own('a'),
      { type: 'released', at, runId: 'r', sessionId: 'a', how: 'removed' },
      { type: 'cell_target_removed', at, runId: 'r', cellTarget: 'T--rb-1' },
    ]);
    expect(holdings.sessions.size + holdings.cellTargets.size).toBe(0);
  });
});
