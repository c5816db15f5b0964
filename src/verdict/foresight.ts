import { idRanges } from '../base/id-ranges.ts';
import { roughDuration } from '../base/rough-duration.ts';
import { type Problem, problemOf } from '../errors/rb-error.ts';
import type { Plan } from '../model/plan.ts';
import { configuredCellWarnings, initStateWarnings } from '../plan/configured-cell.ts';
import type { EpisodePace } from '../plan/episode-pace.ts';
import { givenPercent } from '../stats/rounding.ts';
import { isMargin } from './margin.ts';
import { stateCounts } from './state-counts.ts';

/** Above this share of the cap the estimate is worth a warning; below, it is within its own error. */
const CLEARLY_ABOVE = 1.2;

/** What an episode is assumed to take where none has been run, said as such: a few hundred steps and a reset. */
const ASSUMED_SECONDS = 60;

/**
 * How long the plan will take.
 * @param pace of valid episodes in earlier runs here, null when there are none.
 */
export function expectedDuration(plan: Plan, pace: EpisodePace | null): string {
  const { length } = plan.cells;
  if (pace !== null) {
    const { secondsPerEpisode, split } = pace;
    const parts =
      split === null
        ? ''
        : `: ${roughDuration(split.resetSeconds)} to reset, ${milliseconds(split.secondsPerStep)} a step, the rest from one session to the next`;
    return `${roughDuration(length * secondsPerEpisode)} (${roughDuration(secondsPerEpisode)} a valid episode in earlier runs here${parts})`;
  }
  const { sessionTimeoutS } = plan.limits;
  if (sessionTimeoutS === null) return 'unknown';
  const assumed = Math.min(ASSUMED_SECONDS, sessionTimeoutS);
  const most = roughDuration(length * sessionTimeoutS);
  return `unknown: no valid episode of an earlier run here; ${roughDuration(length * assumed)} if an episode takes ${roughDuration(assumed)}, at most ${most}, if every episode used up its session-timeout`;
}

function milliseconds(seconds: number): string {
  return `${Number((seconds * 1000).toPrecision(2))} ms`;
}

/** What is known on this host before the first episode. */
interface Foresight {
  /** Of valid episodes in earlier runs here, null when there are none. */
  readonly pace: EpisodePace | null;
  /** Kind of the input baseline; `auto` and `none` name nothing to compare with. */
  readonly baseline: string;
  /** Pairs without which the plan cannot PASS its margin; 0 when it has none. */
  readonly pairsNeeded: number;
  /** Initial states of each task as the target describes them; left out: it does not. */
  readonly initStates?: number | undefined;
  /** The user's target. */
  readonly target: { readonly id: string; readonly config: Readonly<Record<string, unknown>> };
}

/** What may go wrong, known before the first episode: warnings, since it may come otherwise. */
export function foreseenProblems(
  plan: Plan,
  { pace, baseline, pairsNeeded, target, initStates }: Foresight,
): readonly Problem[] {
  const namesBaseline = baseline !== 'auto' && baseline !== 'none';
  return [
    ...initStateWarnings(plan, initStates),
    ...configuredCellWarnings(plan, target),
    ...wallCapWarnings(plan, pace?.secondsPerEpisode ?? null),
    ...(namesBaseline ? [] : gateWarnings(plan)),
    ...marginWarnings(plan, baseline, pairsNeeded),
  ];
}

/** RB660: such a plan cannot PASS against a baseline without gains: pairs that all agree are too few. */
function marginWarnings(plan: Plan, baseline: string, needed: number): Problem[] {
  const certain = plan.arms.includes('baseline') || plan.stopBaseline !== undefined || baseline === 'path';
  const { maxRegression: margin } = plan.thresholds;
  // A count has no pairs, and its own size decides with ours.
  if (!isMargin(margin) || !(certain || baseline === 'auto')) return [];
  const { suite } = stateCounts(plan);
  if (suite >= needed) return [];
  const when = certain ? '' : 'if there is an accepted run of the base branch, ';
  return [
    problemOf('RB660', {
      where: 'input max-regression',
      message: `${when}this plan cannot PASS when nothing has changed: ${suite} pairs cannot rule out a drop of ${givenPercent(margin)} points even if every pair agrees.`,
      fix: morePairs(plan, needed),
    }),
  ];
}

/** Which input gives so many pairs; a pair is a task with an initial state. */
function morePairs({ tasks, initStates }: Plan, needed: number): string {
  const each = Math.ceil(needed / tasks.length);
  const first = Math.min(...initStates);
  const count = `${each} initial ${each === 1 ? 'state' : 'states'} of ${tasks.length === 1 ? '1 task' : `each of ${tasks.length} tasks`}`;
  return `Plan at least ${needed} pairs of a task and an initial state, for example init-states ${idRanges(Array.from({ length: each }, (_, at) => first + at))} (${count}), or allow a larger max-regression.`;
}

/** RB606: hours of episodes may end in a verdict that fails whatever they show. */
function gateWarnings({ thresholds, arms }: Plan): Problem[] {
  const { minSuccessRate, minTaskSuccessRate, onInconclusive } = thresholds;
  const gated = minSuccessRate !== null || minTaskSuccessRate !== null || arms.includes('baseline');
  if (gated || onInconclusive === 'pass') return [];
  return [
    problemOf('RB606', {
      where: 'input min-success-rate',
      message:
        'no floor and no baseline is given. Where no accepted run of the base branch is at hand, the verdict will be INCONCLUSIVE whatever is measured, and that fails here.',
    }),
  ];
}

/**
 * RB336, a warning: the plan will hardly be through when its wall time is over.
 * @param secondsPerEpisode mean wall-clock time of an episode in earlier runs here, null when there are none.
 */
export function wallCapWarnings({ caps, cells }: Plan, secondsPerEpisode: number | null): Problem[] {
  const limit = caps?.maxWallTimeS;
  const expected = secondsPerEpisode === null ? null : cells.length * secondsPerEpisode;
  if (limit === undefined || expected === null || expected <= limit * CLEARLY_ABOVE) return [];
  return [
    problemOf('RB336', {
      where: 'input caps',
      message: 'earlier runs here say that the plan takes longer; the run would end incomplete.',
      value: `${roughDuration(expected)} expected, wall-time ${roughDuration(limit)}`,
    }),
  ];
}
