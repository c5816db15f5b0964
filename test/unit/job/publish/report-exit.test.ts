import { describe, expect, it } from 'vitest';
import { type AssessedSuite, assessSuite } from '../../../../src/job/judge/assess-suite.ts';
import { withDrift } from '../../../../src/job/judge/drift.ts';
import { acceptedBy } from '../../../../src/job/judge/history-record.ts';
import { reportExit } from '../../../../src/job/publish/report-exit.ts';
import { planDigest } from '../../../../src/plan/make-plan.ts';
import { aggregate } from '../../../../src/results/aggregate.ts';
import { makeRunFacts } from '../../results/record-builder.ts';
import { planOf, recordsOf } from '../../verdict/records.ts';

function suiteAt(floor: number) {
  const plan = planOf({ tasks: 2, initStates: 10, thresholds: { minSuccessRate: floor } });
  const records = recordsOf(plan, (place) => (place % 5 === 0 ? 'failure' : 'success'));
  const run = makeRunFacts();
  const results = {
    ...aggregate({ plan, records, run, journal: [] }),
    end: { kind: 'complete', reason: null } as const,
  };
  const kept = { stopBaseline: null, heldOut: null };
  const measurement = {
    ...kept,
    plan,
    planDigest: planDigest(plan),
    run,
    records,
    results,
    parts: [],
    invalid: [],
  };
  return assessSuite(measurement, null);
}

const published = (suites: readonly AssessedSuite[], releaseFailed = false) => ({ suites, releaseFailed });

const ALARM = {
  expected: null,
  tooEarly: null,
  alarm: { code: 'trend_alarm', text: 'The success rate has drifted.' },
};

describe('a drift alarm', () => {
  const drifted = withDrift(suiteAt(0.5), ALARM);

  it('is a warning and never the verdict', () => {
    expect(drifted.decision.verdict).toBe('PASS');
    expect(drifted.decision.warnings).toContainEqual(ALARM.alarm);
    expect(acceptedBy(drifted, 'schedule')).toBe('schedule');
  });

  it('fails the step only where that is asked for', () => {
    expect(reportExit(published([drifted]), { onTrendAlarm: 'warn' })).toBe(0);
    expect(reportExit(published([drifted]), { onTrendAlarm: 'fail' })).toBe(1);
    expect(reportExit(published([suiteAt(0.5)]), { onTrendAlarm: 'fail' })).toBe(0);
    expect(reportExit(published([withDrift(suiteAt(0.9), ALARM)]), { onTrendAlarm: 'warn' })).toBe(1);
  });
});

describe('a run that stopped early', () => {
  it('does not become the baseline by itself: later runs would miss its cells', () => {
    const suite = suiteAt(0.5);
    const { measurement } = suite;
    const stopped = {
      decision: 'PASS',
      prefix: 10,
      planned: 20,
      skipped: 0,
      successes: 10,
      valid: 10,
      pairs: 0,
      regressed: 0,
      fixed: 0,
      gates: [],
      cells: 20,
      notRun: 10,
      afterStop: 0,
    } as const;
    const results = { ...measurement.results, earlyStop: { stopped: { ...stopped, gates: [] } } };
    expect(acceptedBy(suite, 'push')).toBe('push');
    expect(acceptedBy({ ...suite, measurement: { ...measurement, results } }, 'push')).toBeNull();
  });
});

describe('evidence that could not be attached to its release', () => {
  const rules = { onTrendAlarm: 'warn' } as const;

  it('fails the step, so that no later job publishes the release, and leaves the verdict alone', () => {
    const passed = suiteAt(0.5);
    expect(reportExit(published([passed], true), rules)).toBe(3);
    expect(passed.decision.verdict).toBe('PASS');
  });

  it('hides no worse exit', () => {
    expect(reportExit(published([suiteAt(0.9)], true), rules)).toBe(1);
  });
});
