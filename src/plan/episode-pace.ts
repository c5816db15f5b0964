import { percentile } from '../stats/summaries.ts';

/** What an estimate needs of an episode; an EpisodeRecord fits. Times are milliseconds. */
export interface TimedEpisode {
  readonly outcome: string;
  readonly steps: number | null;
  readonly durationMs: number | null;
  readonly startedAt: string | null;
  readonly finishedAt: string | null;
}

/** How long an episode takes, by those that were valid. */
export interface EpisodePace {
  /** With what lies between two sessions. */
  readonly secondsPerEpisode: number;
  /** Null when the episodes cannot tell the two apart. */
  readonly split: {
    /** Until the first step: building the simulator, reset, settling. */
    readonly resetSeconds: number;
    readonly secondsPerStep: number;
  } | null;
}

/** Errors end early and timeouts late; neither says how long an episode takes. */
const VALID: ReadonlySet<string> = new Set(['success', 'failure']);
/** A line through fewer points, or through episodes of about one length, says nothing. */
const MIN_EPISODES = 5;
const MIN_SPREAD = 0.2;

/**
 * The pace of the valid episodes among `episodes`; null without any that has a duration. Pure.
 * An episode takes the mean of their durations and the median gap to the next session (a mean would hold each pause of a
 * run against its episodes). Reset and steps by the least-squares line of duration over steps.
 */
export function paceOf(episodes: readonly TimedEpisode[]): EpisodePace | null {
  const valid = episodes.filter(({ outcome }) => VALID.has(outcome));
  const durations = valid.flatMap(({ durationMs }) => (durationMs === null ? [] : [durationMs]));
  if (durations.length === 0) return null;
  const gap = percentile(gapsBetween(valid), 0.5) ?? 0;
  return { secondsPerEpisode: (mean(durations) + gap) / 1000, split: splitOf(valid) };
}

/** Milliseconds from the end of one session to the begin of the next one. */
function gapsBetween(episodes: readonly TimedEpisode[]): number[] {
  const times = episodes
    .map(({ startedAt, finishedAt }) => ({
      start: Date.parse(startedAt ?? ''),
      end: Date.parse(finishedAt ?? ''),
    }))
    .filter(({ start, end }) => Number.isFinite(start) && Number.isFinite(end))
    .sort((left, right) => left.start - right.start);
  return times.slice(1).flatMap(({ start }, index) => {
    const gap = start - (times[index]?.end ?? start);
    return gap >= 0 ? [gap] : [];
  });
}

function splitOf(episodes: readonly TimedEpisode[]): EpisodePace['split'] {
  const points = episodes.flatMap(({ steps, durationMs }) =>
    steps === null || durationMs === null ? [] : [{ x: steps, y: durationMs }],
  );
  const most = points.reduce((largest, { x }) => Math.max(largest, x), 0);
  const least = points.reduce((smallest, { x }) => Math.min(smallest, x), most);
  if (points.length < MIN_EPISODES || most - least < MIN_SPREAD * most || most === 0) return null;
  const meanX = mean(points.map(({ x }) => x));
  const meanY = mean(points.map(({ y }) => y));
  const covariance = points.reduce((sum, { x, y }) => sum + (x - meanX) * (y - meanY), 0);
  const slope = covariance / points.reduce((sum, { x }) => sum + (x - meanX) ** 2, 0);
  const intercept = meanY - slope * meanX;
  // A line that goes the wrong way is noise: some other thing than steps decided the durations.
  if (!(slope > 0 && intercept >= 0)) return null;
  return { resetSeconds: intercept / 1000, secondsPerStep: slope / 1000 };
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
