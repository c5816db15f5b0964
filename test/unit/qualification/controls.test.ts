import { describe, expect, test } from 'vitest';
import type { Outcome } from '../../../src/model/episode-record.ts';
import type { Verdict } from '../../../src/model/verdict.ts';
import {
  type Control,
  controlsFor,
  judgeControl,
  observedText,
} from '../../../src/qualification/controls.ts';
import { makeRecord } from '../results/record-builder.ts';

const FAILURE = ['failure', null] as const;
const SUCCESS = ['success', null] as const;
const CONTROLS = new Map(controlsFor(true).map((control) => [control.name, control]));

function judged(
  name: string,
  ends: readonly (readonly [Outcome, string | null])[],
  verdict: Verdict = 'FAIL',
) {
  const control = CONTROLS.get(name) as Control;
  const records = ends.map(([outcome, errorCode], index) => makeRecord(index, outcome, { errorCode }));
  return judgeControl(control, { records, verdict, gate: 0.5 });
}

/** What a control's episodes came to, and what that says of the control. */
const ENDS = [
  ['no-motion', [FAILURE, FAILURE], 'ok'],
  ['no-motion', [FAILURE, SUCCESS], 'misbehaved'],
  ['no-motion', [FAILURE, ['conflict', null]], 'misbehaved'],
  ['no-motion', [FAILURE, ['missing', null]], 'misbehaved'],
  ['no-motion', [FAILURE, ['error', 'TARGET_CONNECTION']], 'skipped'],
  ['no-motion', [['timed_out', 'EXECUTION_TIMEOUT'], FAILURE], 'skipped'],
  ['no-motion', [], 'skipped'],
  ['liar', [FAILURE], 'ok'],
  ['liar', [SUCCESS], 'misbehaved'],
  ['wrong-width', [['error', 'ADAPTER']], 'ok'],
  ['wrong-width', [FAILURE], 'misbehaved'],
  ['wrong-width', [SUCCESS], 'misbehaved'],
  ['wrong-width', [['error', 'RUNTIME_ERROR']], 'misbehaved'],
  ['wrong-width', [['error', 'POLICY_CONNECTION']], 'skipped'],
  ['wrong-width', [['error', 'TARGET_PROTOCOL']], 'skipped'],
  ['too-slow', [['timed_out', 'EXECUTION_TIMEOUT']], 'ok'],
  ['too-slow', [FAILURE], 'misbehaved'],
  ['too-slow', [['error', 'RUNTIME_ERROR']], 'misbehaved'],
  ['too-slow', [['not_run', null]], 'skipped'],
  ['too-slow', [['rejected', 'RUNTIME_PREFLIGHT_FAILED']], 'skipped'],
] as const;

describe('what a control must show', () => {
  test.each(ENDS)('%s with %j is %s', (name, ends, state) => {
    expect(judged(name, ends)).toBe(state);
  });

  test('a policy that moves at random is held to the gate, as is the expert', () => {
    const half = [SUCCESS, FAILURE];
    expect(judged('random', half, 'PASS')).toBe('misbehaved');
    expect(judged('random', half, 'INVALID')).toBe('misbehaved');
    expect(judged('random', half, 'FAIL')).toBe('ok');
    expect(judged('expert', half, 'PASS')).toBe('ok');
    expect(judged('expert', half, 'FAIL')).toBe('misbehaved');
  });

  test('says what it saw, with the codes', () => {
    const records = [makeRecord(0, 'error', { errorCode: 'ADAPTER' }), makeRecord(1, 'failure')];
    const control = CONTROLS.get('random') as Control;
    expect(observedText(control, { records, verdict: 'INVALID', gate: 0.5 })).toBe(
      '1 error (ADAPTER), 1 failure; INVALID by the gate',
    );
  });

  test('every negative control is there with and without an expert, and the one that hangs comes last', () => {
    const names = controlsFor(false).map(({ name }) => name);
    expect(names).toEqual(['no-motion', 'random', 'liar', 'wrong-width', 'too-slow']);
    expect(controlsFor(true).map(({ name }) => name)).toEqual(['expert', ...names]);
  });
});
