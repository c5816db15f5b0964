import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { classify, isRetryable } from '../../../src/outcome/classify.ts';
import type { EpisodeEvidence, SessionEvidence } from '../../../src/outcome/evidence.ts';
import { makePlan } from './plan-builder.ts';

const plan = makePlan();
const cell = { taskId: 0, initStateId: 0, runIndex: 0, arm: 'candidate' } as const;

const account = {
  benchmark_name: 'libero_spatial',
  task_id: 0,
  init_state_id: 0,
  task_description: 'a task',
  success: true,
  done: true,
  target_step_index: 12,
  total_reward: 1,
  num_action_chunks: 2,
};

interface Parts {
  readonly session?: object | null;
  readonly result?: object;
  readonly benchmark?: object | null;
  readonly episode?: EpisodeEvidence;
  readonly log?: object | null;
}

function evidence(parts: Parts): SessionEvidence {
  const result = { status: 'succeeded', success: true, metadata: {}, ...parts.result };
  const session = {
    session_id: 's',
    status: 'succeeded',
    skillruntime_ref: 'skillruntime://pi05_libero_remote',
    task_description: 'a task',
    updated_at: '2026-11-29T13:00:00Z',
    result,
    ...parts.session,
  };
  return {
    sessionId: 's',
    session: parts.session === null ? null : session,
    log: parts.log ?? null,
    episode: parts.episode ?? {
      state: 'present',
      value: { session_id: 's', status: 'succeeded', benchmark: parts.benchmark ?? account },
    },
  };
}

const judge = (parts: Parts) => classify({ verifier: null, plan, cell, evidence: evidence(parts) });
const failed = { status: 'failed', result: { success: false, metadata: {} } };

describe('classify', () => {
  it('takes success from the simulator and names the source', () => {
    expect(judge({})).toMatchObject({ outcome: 'success', successSource: 'episode.benchmark', steps: 12 });
  });

  it('falls back to final_status when episode.json cannot be read, and still compares the cell', () => {
    const status = { success: true, done: true, target_step_index: 12, libero: account };
    const unreadable: EpisodeEvidence = { state: 'unreadable', reason: 'larger than 64 MiB' };
    const found = judge({ episode: unreadable, result: { metadata: { final_status: status } } });
    expect(found).toMatchObject({ outcome: 'success', successSource: 'session.final_status' });
    const other = { ...status, libero: { ...account, task_id: 3 } };
    expect(judge({ episode: unreadable, result: { metadata: { final_status: other } } }).outcome).toBe(
      'mismatch',
    );
  });

  it('never takes a status of succeeded alone for a success', () => {
    const found = judge({ episode: { state: 'absent' } });
    expect(found).toMatchObject({ outcome: 'missing', success: null });
  });

  it('never takes text for a flag', () => {
    const found = judge({ benchmark: { ...account, success: 'True' }, result: { success: 'True' } });
    expect(found).toMatchObject({ outcome: 'missing', success: null });
  });

  it.each([
    ['final_status', { metadata: { final_status: { success: false, done: true } } }],
    ['summary', { metadata: { final_status: { episode_summary: { ...account, task_id: 4 } } } }],
    ['session flag', { success: false }],
  ])('calls a contradiction of %s a conflict', (_name, result) => {
    expect(judge({ result })).toMatchObject({ outcome: 'conflict', success: null });
  });

  it.each([
    ['task_id', 1.5],
    ['init_state_id', Number.POSITIVE_INFINITY],
    ['target_step_index', -3],
    ['target_step_index', 0.5],
    ['num_action_chunks', Number.POSITIVE_INFINITY],
  ])('believes nothing of evidence whose %s is %d', (key, value) => {
    const found = judge({ benchmark: { ...account, [key]: value } });
    expect(found).toMatchObject({ outcome: 'conflict', success: null });
    expect(found.notes.join()).toContain(`${key}: episode.json benchmark says ${value}, which cannot be`);
  });

  it('calls a contradiction of LOG.md a conflict', () => {
    const found = judge({ log: { session_id: 's', status: 'failed', success: false } });
    expect(found.outcome).toBe('conflict');
    expect(found.notes.join()).toContain('LOG.md success says false');
  });

  it('calls a fault beside a finished episode a conflict, unless the runtime tried again', () => {
    const result = { success: false, error_code: 'TARGET_PROTOCOL', error_message: 'x' };
    expect(judge({ session: { status: 'failed', result } }).outcome).toBe('conflict');
    const retried = { status: 'failed', result, retry: { attempted: 1 } };
    expect(judge({ session: retried })).toMatchObject({ outcome: 'error', errorCode: 'TARGET_PROTOCOL' });
  });

  it('does not believe a verifier', () => {
    const found = judge({
      session: { ...failed, result: { success: false, verification: { status: 'rejected' } } },
    });
    expect(found).toMatchObject({ outcome: 'success', successSource: 'episode.benchmark' });
    const silent = judge({
      episode: { state: 'absent' },
      result: { success: true, verification: { status: 'accepted' } },
    });
    expect(silent.outcome).toBe('missing');
  });

  it('takes no result of a target-native job for an episode', () => {
    const result = { num_steps: 9000, return_value: 37, metadata: { benchmark_result: { episodes: [] } } };
    expect(judge({ result, benchmark: {} })).toMatchObject({
      outcome: 'missing',
      success: null,
      steps: null,
    });
    expect(judge({ benchmark: { ...account, total_episodes: 500 } }).outcome).toBe('missing');
  });

  it('reads the return as the sum of rewards, never the last chunk', () => {
    expect(judge({ result: { return_value: 9 } }).episodeReturn).toBe(1);
    const { total_reward: _, ...rest } = account;
    expect(judge({ benchmark: rest, result: { return_value: 9 } }).episodeReturn).toBeNull();
    const fromMetadata = judge({
      benchmark: rest,
      result: { return_value: 9, metadata: { return_value: 2.5 } },
    });
    expect(fromMetadata.episodeReturn).toBe(2.5);
  });

  it('judges by LOG.md and episode.json when the entry vanished, else calls it lost', () => {
    const found = judge({ session: null, log: { session_id: 's', status: 'succeeded', success: true } });
    expect(found).toMatchObject({ outcome: 'success' });
    expect(found.notes[0]).toContain('gone from SESSIONS.md');
    expect(judge({ session: null, episode: { state: 'absent' } }).outcome).toBe('lost');
  });

  it('does not use the episode.json of another session', () => {
    const value = { session_id: 'other', status: 'succeeded', benchmark: account };
    const found = judge({ episode: { state: 'present', value } });
    expect(found.outcome).toBe('missing');
    expect(found.notes.join()).toContain('belongs to another session');
  });

  it('notes a success at step 0 and more steps than the limit', () => {
    expect(judge({ benchmark: { ...account, target_step_index: 0 } }).notes).toContain('success at step 0');
    expect(judge({ benchmark: { ...account, target_step_index: 281 } }).notes.join()).toContain(
      'limit was 280',
    );
  });

  it('keeps NaN and infinite measures unknown', () => {
    const odd = { ...account, total_reward: Number.POSITIVE_INFINITY, target_step_index: Number.NaN };
    expect(judge({ benchmark: odd })).toMatchObject({ episodeReturn: null, steps: null, outcome: 'success' });
  });

  it('does not call an episode that was not over a failure', () => {
    const open = { ...account, success: false, done: false };
    expect(judge({ session: failed, benchmark: open }).outcome).toBe('missing');
  });

  it('calls a timeout beside a success a conflict', () => {
    const timeout = { success: false, error_code: 'EXECUTION_TIMEOUT', metadata: {} };
    expect(judge({ session: { status: 'timed_out', result: timeout } }).outcome).toBe('conflict');
    expect(judge({ session: { status: 'timed_out', result: timeout }, benchmark: {} }).outcome).toBe(
      'timed_out',
    );
  });

  it('compares nothing for sessions that others queued', () => {
    const found = classify({ verifier: null, plan: null, cell: null, evidence: evidence({}) });
    expect(found).toMatchObject({ outcome: 'success', executed: { taskId: 0, initStateId: 0 } });
  });

  it('answers for any shape of document without throwing, and never with a success that nobody stated', () => {
    fc.assert(
      fc.property(fc.anything(), fc.anything(), fc.anything(), (session, log, value) => {
        const found = classify({
          verifier: null,
          plan,
          cell,
          evidence: { sessionId: 's', session, log, episode: { state: 'present', value } },
        });
        expect(found.success).not.toBe(true);
      }),
    );
  });

  it('queues infrastructure errors again, nothing else', () => {
    expect(
      ['success', 'failure', 'error', 'lost', 'mismatch', 'timed_out', 'rejected'].filter((each) =>
        // The list is of outcomes; filter's callback only narrows to string.
        isRetryable(each as Parameters<typeof isRetryable>[0]),
      ),
    ).toEqual(['error', 'lost']);
  });
});
