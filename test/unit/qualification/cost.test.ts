import { describe, expect, it } from 'vitest';
import type { Qualification } from '../../../src/model/qualification.ts';
import { controlsFor } from '../../../src/qualification/controls.ts';
import { costText, lastSeconds, longestMs, shortTimeoutS } from '../../../src/qualification/cost.ts';
import { qualificationText } from '../../../src/qualification/qualification-text.ts';
import { BOUND, makeQualification } from './qualification-builder.ts';

const CONTROLS = controlsFor(false);
const facts = {
  suite: 'libero_spatial',
  controls: CONTROLS,
  maxSteps: 220,
  secondsPerEpisode: null,
  sessionTimeoutS: 1800,
  lastSeconds: null,
};

describe('costText', () => {
  it('counts the time-out of the slow policy, the start of each control and the damaged evidence', () => {
    // 6 episodes of 10 s, 3 + 20 s until the slow one times out, 5 controls of 1 s, 1 s of checks.
    expect(costText({ ...facts, secondsPerEpisode: 10 })).toContain(', about 89 s by earlier runs here');
    expect(costText({ ...facts, secondsPerEpisode: 10, sessionTimeoutS: 11 })).toContain(', about 77 s by');
  });

  it('goes by the last qualification where there is one, and claims nothing where nothing is known', () => {
    const both = { ...facts, secondsPerEpisode: 10, lastSeconds: 13 };
    expect(costText(both)).toContain(', about 13 s as the last time here; no positive control');
    expect(costText(facts)).not.toContain('about');
  });
});

describe('lastSeconds', () => {
  const part = (name: string, ms: number) => ({ name, ms, episodes: 0, simulatorSteps: 0, stepsUnknown: 0 });
  const results: Qualification['controls'] = CONTROLS.map(({ name, kind }) => ({
    ...{ name, kind, expected: '', observed: '', state: 'ok', episodes: [], manifestSha256: null },
  }));
  const complete = makeQualification({
    controls: results,
    phases: [part('discovery', 60_000), part('no-motion', 2000), part('corrupted evidence', 500)],
  });

  it('is all that the same controls took, without the discovery', () => {
    expect(lastSeconds([complete], BOUND, CONTROLS)).toBe(2.5);
  });

  it('takes nothing from other suites, other controls, or one that did not come to its end', () => {
    expect(lastSeconds([], BOUND, CONTROLS)).toBeNull();
    expect(lastSeconds([complete], { ...BOUND, suite: 'libero_10' }, CONTROLS)).toBeNull();
    expect(lastSeconds([complete], BOUND, controlsFor(true))).toBeNull();
    expect(lastSeconds([{ ...complete, skipped: ['too-slow'] }], BOUND, CONTROLS)).toBeNull();
  });
});

describe('shortTimeoutS', () => {
  it('is short for a simulator that is built at once, and longest where nobody knows', () => {
    expect(shortTimeoutS(0, 1800)).toBe(3);
    expect(shortTimeoutS(4.2, 1800)).toBe(12);
    expect(shortTimeoutS(null, 1800)).toBe(30);
    expect(shortTimeoutS(null, 20)).toBe(20);
  });
});

describe('longestMs', () => {
  it('tells a session that took no time from one of which nobody told', () => {
    expect(longestMs([{ durationMs: 0 }])).toBe(0);
    expect(longestMs([{ durationMs: null }, { durationMs: 7 }])).toBe(7);
    expect(longestMs([{ durationMs: null }])).toBeNull();
    expect(longestMs([])).toBeNull();
  });
});

it.each([
  [{ episodes: 1, simulatorSteps: 0, stepsUnknown: 1 }, '1 episode, simulator steps unknown'],
  [
    { episodes: 3, simulatorSteps: 90, stepsUnknown: 1 },
    '90 simulator steps in 2 of them, unknown in the others',
  ],
  [{ episodes: 2, simulatorSteps: 440, stepsUnknown: 0 }, '2 episodes, 440 simulator steps'],
])('steps that no runtime told are unknown and not 0', (counts, expected) => {
  const made = makeQualification({ phases: [{ name: 'no-motion', ms: 1000, ...counts }] });
  expect(qualificationText(made, '/runs')).toContain(expected);
});
