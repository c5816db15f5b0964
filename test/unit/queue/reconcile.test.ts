import { describe, expect, it } from 'vitest';
import type { JournalEvent } from '../../../src/model/journal-events.ts';
import { judgeRemoval } from '../../../src/queue/judge-removal.ts';
import { reconcile } from '../../../src/queue/machine/follow.ts';
import { RunMemory } from '../../../src/queue/machine/run-memory.ts';
import { entry, queue } from './queue-views.ts';

const NOW = 10_000_000;
const pace = { nowMs: NOW, slowestTransitionMs: 0 };
const cell = { taskId: 0, initStateId: 0, runIndex: 0, arm: 'candidate' as const };
const INTENT: JournalEvent = {
  type: 'intent',
  sessionId: 's',
  position: 0,
  sessionAttempt: 0,
  cell,
  cellTarget: 'T',
};
const QUEUED: JournalEvent = { type: 'queued', sessionId: 's' };
const COLLECTED: JournalEvent = {
  type: 'collected',
  sessionId: 's',
  outcome: 'success',
  errorCode: null,
  errorMessage: null,
  files: [],
  omitted: [],
  startedAt: null,
  finishedAt: null,
  durationMs: null,
};
const REMOVED: JournalEvent = { type: 'removed', sessionId: 's' };

function kinds(events: readonly JournalEvent[], status: string | null): readonly string[] {
  const memory = new RunMemory(1).with(events);
  const view = status === null ? queue() : queue(entry('s', status, { updatedMs: NOW }));
  return reconcile(memory, view, pace).map(({ kind }) => kind);
}

describe('reconcile', () => {
  it.each([
    ['announced, no entry: never queued', [INTENT], null, ['unqueued']],
    ['announced, pending entry: queued', [INTENT], 'pending', ['queued']],
    ['announced, finished entry: over', [INTENT], 'succeeded', ['settled']],
    ['queued, no entry: vanished', [INTENT, QUEUED], null, ['vanished']],
    ['queued, claimed: nothing to note', [INTENT, QUEUED], 'claimed', []],
    ['queued, running', [INTENT, QUEUED], 'running', ['running']],
    ['queued, failed: over', [INTENT, QUEUED], 'failed', ['settled']],
    ['archived, entry there: to be removed by the next change', [INTENT, QUEUED, COLLECTED], 'succeeded', []],
    ['archived, no entry: gone', [INTENT, QUEUED, COLLECTED], null, ['gone']],
    ['removed, no entry: nothing', [INTENT, QUEUED, COLLECTED, REMOVED], null, []],
    ['removed, back as pending', [INTENT, QUEUED, COLLECTED, REMOVED], 'pending', ['returned']],
    ['removed, back at work', [INTENT, QUEUED, COLLECTED, REMOVED], 'running', ['returned']],
  ] as const)('%s', (_name, events, status, expected) => {
    expect(kinds(events, status)).toEqual(expected);
  });

  it('ends a session that a killed watchdog left running, once another one moved', () => {
    const memory = new RunMemory(1).with([INTENT, QUEUED]);
    const view = queue(
      entry('s', 'running', { updatedMs: NOW - 5000 }),
      entry('foreign', 'succeeded', { updatedMs: NOW }),
    );
    expect(reconcile(memory, view, pace).map(({ kind }) => kind)).toEqual(['settled']);
  });
});

describe('a session that is too old', () => {
  it.each([
    ['running', []],
    ['claimed', ['settled']],
    ['preflight_checking', ['settled']],
  ])('and %s is not over by its age alone, unless its state lasts for moments', (status, expected) => {
    const started: JournalEvent = { type: 'running', sessionId: 's', updatedAt: null };
    const memory = new RunMemory(1).with([INTENT, QUEUED, started]);
    const body = { timeouts: { execute_timeout_s: 1 } };
    const view = queue(entry('s', status, { updatedMs: NOW - 9_000_000, body }));
    expect(reconcile(memory, view, pace).map(({ kind }) => kind)).toEqual(expected);
  });
});

describe('judgeRemoval', () => {
  const body = { session_id: 's', status: 'succeeded', result: { success: true } };
  const view = (status: string, other: unknown = body) =>
    queue(entry('s', status, { body: other, updatedMs: NOW }));

  it('takes an archived entry out only when it is what was archived', () => {
    const archived = { id: 's', when: 'archived', archived: body } as const;
    expect(judgeRemoval(view('succeeded'), archived)).toBe('removed');
    expect(judgeRemoval(view('succeeded', { ...body, result: {} }), archived)).toBe('unequal');
    expect(judgeRemoval(view('running'), archived)).toBe('busy');
    expect(judgeRemoval(queue(), archived)).toBe('absent');
  });

  it('withdraws only what is still pending', () => {
    const pending = { id: 's', when: 'pending' } as const;
    expect(judgeRemoval(view('pending'), pending)).toBe('removed');
    for (const status of ['claimed', 'preflight_checking', 'running', 'finalizing', 'succeeded']) {
      expect(judgeRemoval(view(status), pending)).toBe('busy');
    }
  });

  it('never touches an entry the watchdog is at', () => {
    for (const status of [
      'claimed',
      'preflight_checking',
      'running',
      'finalizing',
      'cancelling',
      'unheard_of',
    ]) {
      expect(judgeRemoval(view(status), { id: 's', when: 'idle' })).toBe('busy');
    }
  });

  it('takes an entry at work out only when the watchdog has moved on, or a person answers for it', () => {
    for (const status of ['claimed', 'preflight_checking', 'running', 'finalizing']) {
      const old = entry('s', status, { updatedMs: 1, body: { timeouts: { execute_timeout_s: 1 } } });
      expect(judgeRemoval(queue(old), { id: 's', when: 'idle' })).toBe('busy');
      expect(judgeRemoval(queue(old), { id: 's', when: 'given_up' })).toBe('removed');
      const later = entry('theirs', 'running', { updatedMs: NOW });
      expect(judgeRemoval(queue(old, later), { id: 's', when: 'idle' })).toBe('removed');
    }
    expect(judgeRemoval(queue(), { id: 's', when: 'given_up' })).toBe('absent');
  });
});
