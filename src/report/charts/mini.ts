import type { Rate } from '../../model/results.ts';
import { stretches, type Timed } from './stretches.ts';
import { num } from './svg.ts';

const BAR = { width: 200, height: 20 };
const LINE = { width: 120, height: 28, edge: 4 };

/**
 * A rate with its interval for a table's cell. It repeats the numbers beside it, so it is hidden from screen readers;
 * it stretches with its cell.
 */
export function rateBar(rate: Rate, baseline: number | null): string {
  const { width, height } = BAR;
  const at = (value: number): string => num(2 + value * (width - 4));
  const middle = height / 2;
  const track = `<rect class="rb-track" x="2" y="6" width="${width - 4}" height="8" rx="1.5"/>`;
  const shapes =
    rate.rate === null || rate.low === null || rate.high === null
      ? ''
      : [
          `<rect class="rb-bar" x="2" y="6" width="${num(rate.rate * (width - 4))}" height="8" rx="1.5"/>`,
          `<path class="rb-whisker" vector-effect="non-scaling-stroke" d="M${at(rate.low)} ${middle}H${at(rate.high)}M${at(rate.low)} 7V13M${at(rate.high)} 7V13"/>`,
          baseline === null ? '' : mark(at(baseline)),
        ].join('');
  return `<svg class="rb-chart rb-mini" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" preserveAspectRatio="none" aria-hidden="true">${track}${shapes}</svg>`;
}

function mark(x: string): string {
  return `<path class="rb-baseline-line" vector-effect="non-scaling-stroke" d="M${x} 1V19"/>`;
}

interface MiniPoint extends Timed {
  readonly successes: number;
  readonly valid: number;
}

/** The course of a rate without axes: 0 % at the bottom, 100 % at the top, the last point as a dot. */
export function sparkline(points: readonly MiniPoint[]): string {
  const [first, last] = [points[0], points.at(-1)];
  const { width, height, edge } = LINE;
  const span = (last?.at ?? 0) - (first?.at ?? 0) || 1;
  const place = (point: MiniPoint): string =>
    `${num(edge + ((point.at - (first?.at ?? 0)) / span) * (width - 2 * edge))} ${num(height - edge - (point.successes / point.valid) * (height - 2 * edge))}`;
  const measured = stretches(points, ({ valid }) => valid > 0);
  // A path of one point is drawn only when it goes somewhere, be it nowhere.
  const line = measured
    .map((stretch) => `M${stretch.map(place).join('L')}${stretch.length === 1 ? 'h0' : ''}`)
    .join('');
  const end = measured.at(-1)?.at(-1);
  const dot = end === undefined ? '' : `<path class="rb-end" d="M${place(end)}h0"/>`;
  return `<svg class="rb-chart rb-spark" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" aria-hidden="true"><path class="rb-rule" d="M${edge} ${edge}H${width - edge}M${edge} ${height - edge}H${width - edge}"/><path class="rb-path" d="${line}"/>${dot}</svg>`;
}
