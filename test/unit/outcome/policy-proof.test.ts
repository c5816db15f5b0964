import { describe, expect, it } from 'vitest';
import type { Outcome } from '../../../src/model/episode-record.ts';
import { type PolicyRecording, RECORDING_SCHEMA_ID } from '../../../src/model/policy-recording.ts';
import { proofOf } from '../../../src/outcome/policy-proof.ts';

function recordingOf(change: Partial<PolicyRecording>): PolicyRecording {
  return {
    schema: RECORDING_SCHEMA_ID,
    sessionId: 's',
    connections: 1,
    metadata: { sha256: 'a'.repeat(64), digest: null, sameAsBefore: null },
    calls: 22,
    answers: 22,
    textAnswers: 0,
    requestBytes: 1,
    answerBytes: 1,
    latencyMs: { n: 22, mean: 2, p50: 2, p95: 2, max: 2 },
    latenciesMs: [],
    chain: 'b'.repeat(64),
    closes: [],
    faults: [],
    ...change,
  };
}

const stateOf = (
  outcome: Outcome,
  policyCalls: number | null,
  change: Partial<PolicyRecording> | null,
): string => proofOf({ outcome, policyCalls }, change === null ? null : recordingOf(change)).state;

describe('which policy acted in a session', () => {
  it.each<[string, Outcome, number | null, Partial<PolicyRecording> | null, string]>([
    ['as many answers as the simulator executed', 'success', 22, {}, 'proven'],
    ['a failure like a success', 'failure', 22, {}, 'proven'],
    ['a runtime that does not count', 'success', null, {}, 'proven'],
    [
      'no call, though the simulator finished',
      'success',
      22,
      { calls: 0, answers: 0, connections: 0 },
      'not_proven',
    ],
    ['a success at step 0 that nobody acted in', 'success', 0, { calls: 0, answers: 0 }, 'not_proven'],
    ['calls without a usable answer', 'failure', 1, { calls: 1, answers: 1, textAnswers: 1 }, 'not_proven'],
    ['fewer answers than were executed', 'success', 22, { calls: 5, answers: 5 }, 'not_proven'],
    ['an answer more than was executed', 'success', 21, {}, 'proven'],
    ['no recording of a finished episode', 'success', 22, null, 'not_proven'],
    ['no recording of a timeout', 'timed_out', null, null, 'not_proven'],
    ['a timeout while the policy was thinking', 'timed_out', null, { calls: 1, answers: 0 }, 'proven'],
    [
      'a timeout that never reached the policy',
      'timed_out',
      null,
      { connections: 0, calls: 0 },
      'not_proven',
    ],
    ['a policy that was gone', 'error', null, { connections: 0, calls: 0, answers: 0 }, 'nothing_to_prove'],
    ['a rejected session', 'rejected', null, null, 'nothing_to_prove'],
  ])('%s', (...[, outcome, executed, change, state]) => {
    expect(stateOf(outcome, executed, change)).toBe(state);
  });

  it.each<Outcome>(['success', 'timed_out', 'error'])(
    'another policy than before the run shows in a session that ended %s',
    (outcome) => {
      const metadata = { sha256: 'a'.repeat(64), digest: `sha256:${'c'.repeat(64)}`, sameAsBefore: false };
      expect(stateOf(outcome, 22, { metadata })).toBe('other_policy');
    },
  );

  it('says aloud that the counts differ, and is silent when they do not', () => {
    const note = (executed: number): string | null =>
      proofOf({ outcome: 'success', policyCalls: executed }, recordingOf({})).note;
    expect(note(22)).toBe(null);
    expect(note(20)).toBe('the recorded policy gave 22 answers, the simulator executed 20');
  });

  it('keeps unknown counts unknown', () => {
    expect(proofOf({ outcome: 'success', policyCalls: 3 }, null)).toMatchObject({
      calls: null,
      answers: null,
      latencyMs: null,
    });
  });

  it('does not take the word of a recording for who its policy was', () => {
    const [met, other] = [`sha256:${'c'.repeat(64)}`, `sha256:${'d'.repeat(64)}`];
    const recording = (digest: string | null): PolicyRecording =>
      recordingOf({ metadata: { sha256: 'a'.repeat(64), digest, sameAsBefore: true } });
    const state = (digest: string | null, before: string | null): string =>
      proofOf({ outcome: 'success', policyCalls: 22 }, recording(digest), before).state;
    expect(state(met, met)).toBe('proven');
    expect(state(other, met)).toBe('other_policy');
    // What nobody knows contradicts nothing.
    expect(state(null, met)).toBe('proven');
    expect(state(other, null)).toBe('proven');
  });
});
