import { describe, expect, it } from 'vitest';
import { BASELINE_SCHEMA_ID, type Baseline } from '../../../src/history/baseline.ts';
import { driftOf, expectedFor } from '../../../src/history/drift.ts';
import type { HistoryRecord } from '../../../src/history/history-record.ts';
import { seriesOf } from '../../../src/history/latest.ts';
import { buildPublication } from '../../../src/history/publication.ts';
import { driftAmong } from '../../../src/job/judge/drift.ts';
import { pageSeries } from '../../../src/job/publish/site.ts';
import { historyRecord } from './record.ts';

const PROTOCOL = 'f'.repeat(64);
const OWN = { fingerprint: PROTOCOL, planned: historyRecord({}).planned };
const EXPECTED = { name: 'blessed', successes: 95, valid: 100 };
/** The series of the run chart's reference values: the alarm stands from the eighth run on. */
const SUCCESSES = [95, 96, 94, 95, 93, 90, 89, 88, 91, 87];

function night(index: number, changes: Partial<HistoryRecord> = {}): HistoryRecord {
  const successes = SUCCESSES[index] ?? 95;
  return historyRecord({
    runId: `night-${index}`,
    finishedAt: `2026-03-${String(index + 1).padStart(2, '0')}T02:00:00Z`,
    event: 'schedule',
    successes,
    rate: successes / 100,
    fingerprint: PROTOCOL,
    expected: EXPECTED,
    ...changes,
  });
}
const nights = (count: number): HistoryRecord[] => SUCCESSES.slice(0, count).map((_, index) => night(index));

function baseline(runId: string, by: Baseline['header']['acceptedBy'], successes: number): Baseline {
  const cells = Array.from({ length: 100 }, (_, index) => ({
    suite: 'libero_spatial',
    taskId: index % 10,
    initStateId: Math.floor(index / 10),
    runIndex: 0,
    position: index,
    outcome: index < successes ? ('success' as const) : ('failure' as const),
    steps: null,
  }));
  return {
    header: {
      schema: BASELINE_SCHEMA_ID,
      suite: 'libero_spatial',
      branch: 'main',
      runId,
      attempt: 1,
      commit: null,
      planDigest: 'a'.repeat(64),
      bundleSha256: null,
      fingerprint: {},
      policy: null,
      acceptedAt: '2026-03-01T00:00:00Z',
      acceptedBy: by,
      reason: null,
      cells: cells.length,
    },
    cells,
  };
}

describe('the drift of a branch', () => {
  it('raises its alarm at the eighth run of the reference series, and not before', () => {
    expect(driftOf(nights(7)).alarm).toBeNull();
    const { alarm, alarmed, tooEarly } = driftOf(nights(8));
    expect(alarm?.text).toMatch(
      'drifted: −2.5 points against blessed over the last 8 runs (CUSUM at 4.1, alarm at 4)',
    );
    expect(tooEarly).toBeNull();
    expect([...alarmed]).toEqual([expect.stringContaining('night-7')]);
  });

  it('says that it is too early to tell until twenty runs are in', () => {
    const quiet = (count: number) =>
      driftOf(Array.from({ length: count }, (_, i) => night(0, { runId: `quiet-${i}` })));
    expect(quiet(5).tooEarly?.text).toContain('too early to tell. 5 of 20 runs since blessed');
    expect(quiet(20).tooEarly).toBeNull();
  });

  it('does not count what an INVALID run measured', () => {
    const broken = nights(8).map((record, index) =>
      index >= 5 ? { ...record, verdict: 'INVALID' as const, successes: 0 } : record,
    );
    expect(driftOf(broken).alarm).toBeNull();
  });

  it('says nothing while nothing is expected', () => {
    expect(driftOf(nights(10).map((record) => ({ ...record, expected: undefined }))).alarm).toBeNull();
  });
});

describe('what a run is expected to reach', () => {
  const before = night(3);

  it('is not moved by baselines that nights accepted by themselves', () => {
    const nightly = {
      name: 'night-3',
      successes: 91,
      valid: 100,
      planned: OWN.planned,
      acceptedBy: 'schedule' as const,
    };
    expect(expectedFor(nightly, before, OWN)).toEqual(EXPECTED);
    expect(expectedFor(nightly, night(3, { expected: null }), OWN)).toMatchObject({ name: 'night-3' });
  });

  it.each(['push', 'merged-pull-request', 'manual'] as const)('begins anew with a baseline by %s', (by) => {
    const blessed = { name: 'new', successes: 80, valid: 100, planned: OWN.planned, acceptedBy: by };
    expect(expectedFor(blessed, before, OWN)).toEqual({ name: 'new', successes: 80, valid: 100 });
  });

  it('begins anew with another protocol, and is unknown without any baseline', () => {
    const nightly = {
      name: 'night-3',
      successes: 91,
      valid: 100,
      planned: OWN.planned,
      acceptedBy: 'schedule' as const,
    };
    expect(expectedFor(nightly, before, { ...OWN, fingerprint: 'e'.repeat(64) })).toMatchObject({
      name: 'night-3',
    });
    expect(expectedFor(null, undefined, OWN)).toBeNull();
  });

  it('holds no rate over other cells against a run: an extended suite begins a new chart', () => {
    const nightly = {
      name: 'night-3',
      successes: 91,
      valid: 100,
      planned: 100,
      acceptedBy: 'schedule' as const,
    };
    const extended = { ...OWN, planned: 120 };
    expect(expectedFor(nightly, before, extended)).toBeNull();
    const grown = { ...nightly, name: 'night-4', planned: 120 };
    expect(expectedFor(grown, night(4, { planned: 120, expected: null }), extended)).toMatchObject({
      name: 'night-4',
    });
    const drifting = nights(8);
    expect(driftOf(drifting).alarm).not.toBeNull();
    expect(driftOf([...drifting, night(8, { planned: 120 })]).alarm).toBeNull();
  });
});

describe('a new run of a branch', () => {
  const course = {
    earlier: nights(7),
    baseline: baseline('blessed', 'push', 95),
    timeoutsAs: 'error' as const,
  };

  it('is looked at together with the runs before it', () => {
    const drift = driftAmong(night(7), course);
    expect(drift).toMatchObject({ expected: EXPECTED, alarm: { code: 'trend_alarm' } });
  });

  it('comes to the same whether or not its own record is there already', () => {
    expect(driftAmong(night(7), { ...course, earlier: nights(8) })).toEqual(driftAmong(night(7), course));
  });

  it('resets the alarm when a lower baseline was accepted on purpose', () => {
    const drift = driftAmong(night(7), { ...course, baseline: baseline('lower', 'manual', 88) });
    expect(drift).toMatchObject({ expected: { name: 'lower', successes: 88 }, alarm: null });
  });
});

describe('the page', () => {
  it('shows the alarm at the runs where it stood, until a baseline is accepted', async () => {
    const series = seriesOf(nights(9), null);
    const [page] = pageSeries({ schema: 'rollout-bench/latest/1', series: [series] });
    expect(page?.alarm).toContain('drifted');
    expect(page?.points.map(({ alarm }) => alarm)).toEqual([...Array(7).fill(false), true, true]);
    const latest = `${JSON.stringify({ schema: 'rollout-bench/latest/1', series: [series] })}\n`;
    const changes = await buildPublication(
      { openPulls: null, records: [], baselines: [baseline('night-8', 'manual', 88)], files: [] },
      async (path) => (path === 'latest.json' ? latest : null),
    );
    const written = changes.find(({ path }) => path === 'latest.json')?.content ?? '';
    expect(written).not.toContain('drifted');
  });
});
