import { roughDuration } from '../base/rough-duration.ts';
import type { EpisodeRecord } from '../model/episode-record.ts';
import type { Qualification } from '../model/qualification.ts';
import type { Control } from './controls.ts';
import { newestAbout, type Subject } from './freshness.ts';

/** Phase in which copies of the evidence are damaged and checked. */
export const DAMAGE_PHASE = 'corrupted evidence';
/** Before the first control; it may take a session or none, whatever it took the last time. */
export const DISCOVERY_PHASE = 'discovery';

/** A policy that is too slow is given this long, and twice what building the simulator took. */
const MIN_TIMEOUT_S = 3;
/** Building a simulator takes at most so long while nobody knows better. */
const UNKNOWN_BUILD_TIMEOUT_S = 10 * MIN_TIMEOUT_S;
/** Roughly what starting a control and sealing its evidence takes beside its episodes. */
const AROUND_A_CONTROL_S = 1;
/** Roughly what damaging and checking the evidence takes. */
const DAMAGE_S = 1;

/** Time of a session with a policy that answers too late, by what the simulator needs; null: nobody knows. Pure. */
export function shortTimeoutS(buildS: number | null, most: number): number {
  if (buildS === null) return Math.min(most, UNKNOWN_BUILD_TIMEOUT_S);
  return Math.min(most, MIN_TIMEOUT_S + Math.ceil(2 * buildS));
}

/**
 * Wall time of the longest of some sessions, milliseconds; null when none told. One of under a millisecond took 0, which
 * is known, and not the same as nobody telling. Pure.
 */
export function longestMs(records: readonly Pick<EpisodeRecord, 'durationMs'>[]): number | null {
  const known = records.flatMap(({ durationMs }) => (durationMs === null ? [] : [durationMs]));
  return known.length === 0 ? null : Math.max(...known);
}

interface CostFacts {
  readonly suite: string;
  readonly controls: readonly Control[];
  /** Simulator steps of an episode at most; null: the target decides. */
  readonly maxSteps: number | null;
  readonly secondsPerEpisode: number | null;
  /** Longest time that a session may take. */
  readonly sessionTimeoutS: number;
  /** What the last complete one took here; null when there is none. */
  readonly lastSeconds: number | null;
}

/** What a qualification is going to ask of the host, in one line. Pure. */
export function costText(facts: CostFacts): string {
  const { suite, controls, maxSteps } = facts;
  const episodes = episodesOf(controls);
  const steps =
    maxSteps === null ? '' : `, at most ${episodes * maxSteps} simulator steps (${maxSteps} an episode)`;
  const expert = controls.some(({ kind }) => kind === 'positive') ? '' : '; no positive control';
  return `Qualification of ${suite}: ${controls.length} controls (${controls.map(({ name }) => name).join(', ')}), ${episodes} episodes${steps}${timeText(facts)}${expert}. No policy under test is used.`;
}

/** All that the newest qualification of the same controls took after the discovery; null when none ran to its end. Pure. */
export function lastSeconds(
  kept: readonly Qualification[],
  subject: Subject,
  controls: readonly Control[],
): number | null {
  const last = newestAbout(
    kept.filter(
      (each) =>
        each.skipped.length === 0 &&
        each.controls.map(({ name }) => name).join() === controls.map(({ name }) => name).join(),
    ),
    subject,
  );
  if (last === undefined) return null;
  return last.phases.reduce((sum, { name, ms }) => sum + (name === DISCOVERY_PHASE ? 0 : ms), 0) / 1000;
}

function timeText({
  controls,
  secondsPerEpisode: each,
  sessionTimeoutS,
  lastSeconds: last,
}: CostFacts): string {
  if (last !== null) return `, about ${roughDuration(last)} as the last time here`;
  if (each === null) return '';
  const late = controls.filter(({ expects }) => expects === 'timeout');
  // An episode builds the simulator and more: its time is what building takes at most.
  const waitS = episodesOf(late) * shortTimeoutS(each, sessionTimeoutS);
  const played = (episodesOf(controls) - episodesOf(late)) * each;
  const total = played + waitS + controls.length * AROUND_A_CONTROL_S + DAMAGE_S;
  return `, about ${roughDuration(total)} by earlier runs here, with the time-out of the slow policy and the checks of damaged evidence`;
}

function episodesOf(controls: readonly Control[]): number {
  return controls.reduce((sum, { cells }) => sum + cells, 0);
}
