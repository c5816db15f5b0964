import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { sessionsFileProblems } from '../../../src/job/prepare/queue-checks.ts';
import { explainedError, lateAnswerText, lateStep } from '../../../src/outcome/late-answer.ts';
import { junitXml } from '../../../src/report/junit.ts';
import { makeReportInput, makeView } from '../report/report-builder.ts';
import { makeRecord } from '../results/record-builder.ts';

const RESET =
  "target RPC target.close returned mismatched response: type 'target.reset' != 'target.close', seq 3 != 4";

describe('a target that answers later than the runtime waits', () => {
  it.each([
    [RESET, 'target.reset'],
    [
      "target RPC target.close returned mismatched response: type 'target.action_chunk' != 'target.close', seq 9 != 10, session_id None != 's'",
      'target.action_chunk',
    ],
    ['target RPC target.action_chunk returned mismatched response: seq 7 != 8', 'target.action_chunk'],
    ['target RPC target.reset failed: timed out', 'target.reset'],
    ['target RPC target.reset failed: Connection timed out', 'target.reset'],
    ['target RPC target.action_chunk failed: TimeoutError()', 'target.action_chunk'],
  ])('%s', (message, step) => {
    expect(lateStep(message)).toBe(step);
  });

  it.each([
    null,
    '',
    'IndexError: list index out of range',
    "target RPC target.close failed: 'NoneType' object has no attribute 'step'",
    "target RPC target.reset returned mismatched response: type 'target.reset' != 'target.reset', seq 4 != 3",
    "target RPC target.reset returned mismatched response: target_id 'a' != 'b'",
    'EXECUTION_TIMEOUT: session timed out',
  ])('is not told by %s', (message) => {
    expect(lateAnswerText(message)).toBeNull();
  });

  it('is explained with the step that was slow, the limit, and what to do; the text of the runtime stays', () => {
    const text = explainedError(RESET);
    expect(text).toMatch(
      /^target\.reset \(building and resetting the simulator\) took longer than the watchdog waits .*30 s, rollout-bench host its rpc-timeout.*MUJOCO_GL=egl.*smaller cameras/,
    );
    expect(text).toContain(`[${RESET}]`);
    expect(explainedError('KeyError')).toBe('KeyError');
  });

  it('is explained in every table of a report, while records and csv keep the text of the runtime', () => {
    const records = [makeRecord(0, 'error', { errorCode: 'TARGET_PROTOCOL', errorMessage: RESET })];
    const input = makeReportInput({ records });
    const { failures } = makeView({ records });
    expect(failures.codes).toMatchObject([
      { message: expect.stringContaining('took longer than the watchdog waits') },
    ]);
    expect(failures.episodes).toMatchObject([{ detail: expect.stringContaining('MUJOCO_GL=egl') }]);
    expect([...junitXml(records, input.results.suite)].join('')).toContain(
      'took longer than the watchdog waits',
    );
    expect(input.results.arms[0]?.errorCodes[0]?.message).toBe(RESET);
  });

  it('is a note of doctor, from a session that the real runtime wrote', () => {
    const file = new URL('../../../fixtures/runtime/86-slow-env-build/SESSIONS.after.md', import.meta.url);
    const problems = sessionsFileProblems(readFileSync(file, 'utf8'), Date.now());
    expect(problems.filter(({ code }) => code === 'RB364')).toMatchObject([
      { severity: 'warning', message: expect.stringContaining('target.reset (building') },
    ]);
  });
});
