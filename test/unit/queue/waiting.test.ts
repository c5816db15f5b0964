import { describe, expect, it } from 'vitest';
import { lastMoveText, type Situation } from '../../../src/queue/machine/explain.ts';
import { waitingTold } from '../../../src/queue/progress.ts';
import { entry, queue } from './queue-views.ts';

/** Seconds at which a wait was told, looked at once a second. */
function toldAt(
  during: (second: number) => { waitsFor: Situation['waitsFor']; judged?: number },
  seconds = 200,
) {
  const isTold = waitingTold();
  const told: number[] = [];
  for (let second = 0; second <= seconds; second += 1) {
    const { waitsFor, judged = 0 } = during(second);
    if (isTold({ waitsFor }, judged, second * 1000)) told.push(second);
  }
  return told;
}

describe('a wait', () => {
  it('is told within half a minute, and again each minute', () => {
    expect(toldAt(() => ({ waitsFor: 'others' }))).toEqual([20, 80, 140, 200]);
    // The queue was quiet for 20 seconds before that became a reason.
    expect(toldAt(() => ({ waitsFor: 'watchdog' }))).toEqual([0, 60, 120, 180]);
    expect(toldAt(() => ({ waitsFor: 'episode' }))).toEqual([20, 80, 140, 200]);
  });

  it('is told at once when its reason changes', () => {
    expect(toldAt((at) => ({ waitsFor: at < 30 ? 'others' : 'document' }), 100)).toEqual([20, 30, 90]);
  });

  it('is not told while all goes on', () => {
    expect(toldAt(() => ({ waitsFor: null }))).toEqual([]);
    // Episodes of 50 seconds one after another are no wait once the first has shown how long one takes.
    expect(toldAt((at) => ({ waitsFor: 'episode', judged: Math.floor(at / 50) }))).toEqual([20]);
    // Of one that would have ended within half a minute a word comes by then: its target may have stopped.
    expect(
      toldAt((at) => ({ waitsFor: 'episode', judged: Math.min(Math.floor(at / 24), 2) }), 100).map(
        (at) => at - 48,
      ),
    ).toContain(30);
    // One that lasts much longer than those before it is.
    expect(toldAt((at) => ({ waitsFor: 'episode', judged: Math.min(Math.floor(at / 10), 3) }), 100)).toEqual([
      50,
    ]);
  });
});

describe('the last move of a watchdog', () => {
  it('is known from what this run saw, when its finished entries have left the document', () => {
    const waiting = queue(entry('x', 'pending'));
    const seen = { runningStamp: '2026-11-30T10:00:00.000Z', finishedAt: '2026-11-30T10:00:05.000Z' };
    expect(lastMoveText(waiting, [seen, { runningStamp: null, finishedAt: null }])).toBe(
      'no watchdog has moved an entry since 2026-11-30T10:00:05.000Z',
    );
    expect(lastMoveText(waiting, [])).toBe('no watchdog has ever moved an entry here');
  });

  it('is a later one of somebody else', () => {
    const later = queue(entry('y', 'succeeded', { updatedMs: Date.parse('2026-11-30T11:00:00Z') }));
    const seen = { runningStamp: null, finishedAt: '2026-11-30T10:00:05.000Z' };
    expect(lastMoveText(later, [seen])).toContain('since 2026-11-30T11:00:00.000Z');
  });
});
