import type { Measure, Rate } from '../../model/results.ts';
import { fixed, percentOf, percentOfRate } from '../../stats/rounding.ts';

/** Stands where nothing is known. */
export const UNKNOWN = '–';

export const ROUNDING_RULE =
  'Percentages are rounded to one decimal from the counts, halves up. Intervals are Wilson 95 %.';

/** Counts that tell an unknown rate's reason. */
interface Coverage {
  readonly planned: number;
  readonly recorded: number;
}

/** `93.0% (465/500)`; without valid episodes the reason in words, never 0. */
export function rateText(rate: Rate, coverage: Coverage): string {
  const percent = percentOf(rate.k, rate.n);
  if (percent !== null) return `${percent}% (${rate.k}/${rate.n})`;
  if (coverage.planned === 0) return 'no episodes';
  return coverage.recorded === 0 ? 'not run' : 'no valid episode';
}

/** `90.4–94.9`, percent without the sign. */
export function intervalText(rate: Pick<Rate, 'low' | 'high'>): string {
  if (rate.low === null || rate.high === null) return UNKNOWN;
  return `${percentOfRate(rate.low)}–${percentOfRate(rate.high)}`;
}

/** A rate that is no quotient of counts, `92.6%`. */
export function plainRateText(rate: number | null): string {
  return rate === null ? UNKNOWN : `${percentOfRate(rate)}%`;
}

export function numberText(value: number | null, decimals = 1): string {
  if (value === null) return UNKNOWN;
  return fixed(value, decimals) ?? UNKNOWN;
}

/** `101.0 (98.0–104.0)`: median with its interval where there is one. */
export function medianText(measure: Measure, decimals = 1): string {
  return withInterval(measure, (value) => numberText(value, decimals));
}

/**
 * `101 (98–104)`, `44.5`: the median of whole numbers such as steps. It is whole or a half, so that is printed exactly
 * and in every place alike.
 */
export function stepsText(measure: Measure): string {
  return withInterval(measure, halfText);
}

/** `44`, `44.5`: one end of what `stepsText` prints. */
export function halfText(value: number | null): string {
  return numberText(value, value !== null && Number.isInteger(value) ? 0 : 1);
}

function withInterval(measure: Measure, text: (value: number) => string): string {
  const { median, medianLow, medianHigh } = measure;
  if (median === null) return UNKNOWN;
  if (medianLow === null || medianHigh === null) return text(median);
  return `${text(median)} (${text(medianLow)}–${text(medianHigh)})`;
}

/** A measured duration: `12.3 s`, `4 min 05 s`, `2 h 03 min`. Estimates are coarser (`roughDuration` of the plan). */
export function durationText(ms: number | null): string {
  if (ms === null) return UNKNOWN;
  // Above that the seconds would round to 60.0.
  if (ms < 59_950) return `${fixed(ms / 1000, 1) ?? '0.0'} s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${pad(seconds % 60)} s`;
  const minutes = Math.round(ms / 60_000);
  return `${Math.floor(minutes / 60)} h ${pad(minutes % 60)} min`;
}

function pad(value: number): string {
  return String(value).padStart(2, '0');
}

/** Any observed fact as one line: text as it is, everything else as JSON. */
export function factText(value: unknown): string {
  if (value === null || value === undefined) return 'unknown';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
