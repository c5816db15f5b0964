import { describe, expect, it } from 'vitest';
import {
  abandoned,
  atWork,
  latestMove,
  leftOvers,
  livePreflight,
  perhapsAtWork,
  snapshotOf,
  targetsInUse,
} from '../../../src/queue/machine/snapshot.ts';
import { hasLingered } from '../../../src/queue/machine/standing-targets.ts';
import { stuckSession } from '../../../src/queue/machine/stuck.ts';
import { entry, queue } from './queue-views.ts';

const NOW = 10_000_000;
const pace = { nowMs: NOW, slowestTransitionMs: 0 };
const checking = (updatedMs: number) => entry('x', 'preflight_checking', { updatedMs });

describe('livePreflight', () => {
  it('forbids writing while an entry is in preflight', () => {
    expect(livePreflight(queue(checking(NOW - 100), entry('y', 'pending')), pace)?.id).toBe('x');
  });

  it('takes it for dead once another entry moved later', () => {
    const later = entry('y', 'running', { updatedMs: NOW - 50 });
    expect(livePreflight(queue(checking(NOW - 100), later), pace)).toBeNull();
  });

  it('does not take an edit by hand for a move of the watchdog', () => {
    const edited = entry('y', 'cancelled', { updatedMs: NOW - 50 });
    expect(livePreflight(queue(checking(NOW - 100), edited), pace)?.id).toBe('x');
  });

  it.each([
    ['verifying', undefined],
    ['awaiting_replan', undefined],
    ['succeeded', { verification: { mode: 'audit' } }],
  ])('does not take the move of a verifier (%s) for a move of the watchdog', (status, body) => {
    const verified = entry('y', status, { updatedMs: NOW - 50, body });
    expect(livePreflight(queue(checking(NOW - 100), verified), pace)?.id).toBe('x');
  });

  it('takes it for dead when a session without a verifier ended later', () => {
    const body = { verification: { mode: 'off' } };
    const ended = entry('y', 'succeeded', { updatedMs: NOW - 50, body });
    expect(livePreflight(queue(checking(NOW - 100), ended), pace)).toBeNull();
  });

  it('takes it for dead after 120 s, or ten times the slowest transition', () => {
    expect(livePreflight(queue(checking(NOW - 119_000)), pace)?.id).toBe('x');
    expect(livePreflight(queue(checking(NOW - 121_000)), pace)).toBeNull();
    const slow = { nowMs: NOW, slowestTransitionMs: 20_000 };
    expect(livePreflight(queue(checking(NOW - 121_000)), slow)?.id).toBe('x');
    expect(livePreflight(queue(checking(NOW - 201_000)), slow)).toBeNull();
  });
});

describe('a short state in a long document', () => {
  it('may last as long as a busy host takes to read and write all of it', () => {
    const long = (age: number) =>
      snapshotOf([entry('x', 'claimed', { updatedMs: NOW - age })], { bytes: 2_000_000, fault: null });
    expect(leftOvers(long(299_000), pace)).toEqual([]);
    expect(leftOvers(long(301_000), pace).map(({ id }) => id)).toEqual(['x']);
    const stuckAfter = (age: number) =>
      stuckSession(new Set(['x']), { nowMs: NOW, snapshot: long(age), changedMs: [] }, 1)?.id;
    expect(stuckAfter(359_000)).toBeUndefined();
    expect(stuckAfter(361_000)).toBe('x');
  });
});

describe('atWork', () => {
  it('sees a long episode as work, and one beyond its own limit as left over', () => {
    const body = { timeouts: { execute_timeout_s: 1000 } };
    const running = (age: number) => entry('x', 'running', { updatedMs: NOW - age, body });
    expect(atWork(queue(running(999_000)), pace)?.id).toBe('x');
    expect(atWork(queue(running(1_121_000)), pace)).toBeNull();
    expect(leftOvers(queue(running(1_121_000)), pace).map(({ id }) => id)).toEqual(['x']);
  });

  it('goes on seeing a running episode when an earlier one is verified meanwhile', () => {
    const running = entry('x', 'running', { updatedMs: NOW - 100 });
    const verified = entry('y', 'failed', {
      updatedMs: NOW - 50,
      body: { verification: { mode: 'enforce' } },
    });
    expect(atWork(queue(verified, running), pace)?.id).toBe('x');
    expect(leftOvers(queue(verified, running), pace)).toEqual([]);
  });

  it('does not count an entry that waits for a verifier', () => {
    expect(atWork(queue(entry('x', 'awaiting_verification', { updatedMs: NOW })), pace)).toBeNull();
  });
});

describe('targetsInUse', () => {
  it('counts foreign and unknown states as use, terminal ones not', () => {
    const used = targetsInUse(
      queue(
        entry('a', 'pending', { target: 'A' }),
        entry('b', 'succeeded', { target: 'B' }),
        entry('c', 'something_new', { target: 'C' }),
      ),
    );
    expect([...used]).toEqual(['A', 'C']);
  });
});

describe('what follows from a document alone', () => {
  it('is found once, however often it is asked', () => {
    let asked = 0;
    const counted = (id: string, status: string, updatedMs: number) => {
      const plain = entry(id, status, { updatedMs });
      return {
        ...plain,
        get target() {
          asked += 1;
          return plain.target;
        },
        get updatedMs() {
          asked += 1;
          return updatedMs;
        },
      };
    };
    const snapshot = queue(
      ...Array.from({ length: 100 }, (_, at) => counted(`p${at}`, 'pending', NOW - 500 + at)),
      counted('r', 'running', NOW - 1000),
      counted('s', 'succeeded', NOW - 900),
    );
    const askAll = (): void => {
      expect(targetsInUse(snapshot).size).toBe(1);
      expect(latestMove(snapshot)).toBe(NOW - 401);
      expect(abandoned(snapshot).map(({ id }) => id)).toEqual(['r']);
      expect(perhapsAtWork(snapshot)).toEqual([]);
    };
    askAll();
    const first = asked;
    askAll();
    expect(asked).toBe(first);
  });

  it('takes an entry that tells no limit by the limit of the runtime', () => {
    const running = (updatedMs: number) =>
      queue(entry('x', 'running', { updatedMs, body: { status: 'running' } }));
    expect(atWork(running(NOW - 400_000), pace)?.id).toBe('x');
    expect(atWork(running(NOW - 430_000), pace)).toBeNull();
  });
});

describe('hasLingered', () => {
  const withdrawn = { atMs: NOW, documentBytes: 250_000 };

  it('holds a cell target until ten seconds and one per 100 kB are over', () => {
    expect(hasLingered(withdrawn, queue(), NOW + 13_000)).toBe(false);
    expect(hasLingered(withdrawn, queue(), NOW + 13_001)).toBe(true);
  });

  it('lets it go as soon as another session has moved since', () => {
    expect(hasLingered(withdrawn, queue(entry('x', 'claimed', { updatedMs: NOW + 1 })), NOW + 2)).toBe(true);
    expect(hasLingered(withdrawn, queue(entry('x', 'claimed', { updatedMs: NOW - 1 })), NOW + 2)).toBe(false);
  });
});
