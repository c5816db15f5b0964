import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { QueueEntry } from '../../../src/queue/machine/snapshot.ts';
import { type Moment, stuckSession, stuckText } from '../../../src/queue/machine/stuck.ts';
import { entry, queue } from './queue-views.ts';

const NOW = 100_000_000;
const LIMIT_MS = 100_000;
const GRACE_MS = 60_000;
const body = { timeouts: { execute_timeout_s: LIMIT_MS / 1000 } };
const running = (age: number, id = 'ours') => entry(id, 'running', { updatedMs: NOW - age, body });
const OURS = new Set(['ours']);

function stuck(entries: readonly QueueEntry[], changed: Moment['changedMs'] = [0, 0]): string | null {
  const moment = { nowMs: NOW, snapshot: queue(...entries), changedMs: changed };
  return stuckSession(OURS, moment, 1)?.id ?? null;
}

describe('a stuck session', () => {
  it('has run beyond its own limit and the grace', () => {
    expect(stuck([running(LIMIT_MS + GRACE_MS)])).toBeNull();
    expect(stuck([running(LIMIT_MS + GRACE_MS + 1)])).toBe('ours');
  });

  it('falls back on the limit of the run where its entry has none', () => {
    const bare = entry('ours', 'running', { updatedMs: NOW - 80_000 });
    const moment = { nowMs: NOW, snapshot: queue(bare), changedMs: [] };
    expect(stuckSession(OURS, moment, 10_000)?.id).toBe('ours');
    expect(stuckSession(OURS, moment, 30_000)).toBeNull();
  });

  it.each(['claimed', 'preflight_checking', 'finalizing', 'cancelling'])(
    'is in the state %s for longer than a state of moments lasts',
    (status) => {
      expect(stuck([entry('ours', status, { updatedMs: NOW - 179_000, body })])).toBeNull();
      expect(stuck([entry('ours', status, { updatedMs: NOW - 181_000, body })])).toBe('ours');
    },
  );

  it('without a stamp counts from the last change of the file', () => {
    const bare = entry('ours', 'running', { body });
    expect(stuck([bare], [NOW - LIMIT_MS - GRACE_MS - 1])).toBe('ours');
    expect(stuck([bare], [NOW - LIMIT_MS])).toBeNull();
  });

  it.each(['pending', 'succeeded', 'failed', 'cancelled', 'awaiting_verification'])(
    'is none that does not occupy the watchdog (%s)',
    (status) => {
      expect(stuck([entry('ours', status, { updatedMs: 0, body })])).toBeNull();
    },
  );

  it('is never one of somebody else', () => {
    expect(stuck([running(NOW, 'theirs')])).toBeNull();
  });

  it.each([
    ['SESSIONS.md', [NOW - 1_000, null]],
    ['LOG.md', [null, NOW - 1_000]],
  ])('is not while %s changes', (_name, changed) => {
    expect(stuck([running(NOW / 2)], changed)).toBeNull();
  });

  it('is not one that the watchdog has left for another: that one is dead, and what became of it is known', () => {
    const later = entry('theirs', 'succeeded', { updatedMs: NOW - 70_000 });
    expect(stuck([running(NOW / 2), later])).toBeNull();
  });

  it('is still one when people take back their own sessions, once that is long ago', () => {
    const edited = (age: number) => entry('theirs', 'cancelled', { updatedMs: NOW - age });
    expect(stuck([running(NOW / 2), edited(10_000)])).toBeNull();
    expect(stuck([running(NOW / 2), edited(GRACE_MS + 1)])).toBe('ours');
  });

  it('is none within a minute of any sign of life, whatever the rest says', () => {
    const sign = fc.record({ age: fc.integer({ min: 0, max: GRACE_MS }), where: fc.constantFrom(0, 1, 2) });
    fc.assert(
      fc.property(
        sign,
        fc.integer({ min: 0, max: NOW }),
        fc.constantFrom('running', 'claimed'),
        (life, age, status) => {
          const files = [0, 1].map((place) => (life.where === place ? NOW - life.age : 0));
          const other = entry('theirs', 'cancelled', { updatedMs: life.where === 2 ? NOW - life.age : 0 });
          expect(stuck([entry('ours', status, { updatedMs: NOW - age, body }), other], files)).toBeNull();
        },
      ),
    );
  });

  it('is said in words', () => {
    expect(stuckText(running(0))).toMatch(/^It is running since 1970-.*, longer than that may last/);
  });
});
