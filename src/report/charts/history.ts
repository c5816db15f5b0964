import type { Verdict } from '../../model/verdict.ts';
import { percentOf, percentOfRate } from '../../stats/rounding.ts';
import { intervalText } from '../text/format.ts';
import { type Axis, rateAxis, timeAxis } from './axes.ts';
import { silences, stretches } from './stretches.ts';
import { num, type Placement, svgElement, textElement, titleElement } from './svg.ts';

/** One run. Rates are 0..1, times milliseconds since 1970. */
export interface HistoryMark {
  readonly at: number;
  readonly successes: number;
  readonly valid: number;
  readonly low: number | null;
  readonly high: number | null;
  readonly verdict: Verdict;
  /** The drift alarm (CUSUM) stood at this run. */
  readonly alarm: boolean;
  /** What to call it, e.g. date and commit. */
  readonly name: string;
}

interface HistoryChart {
  readonly title: string;
  /** Oldest first. */
  readonly points: readonly HistoryMark[];
  /** Rate of the accepted baseline, null when there is none. */
  readonly expected: number | null;
  /** Pixels; the page asks for what its window has. */
  readonly width?: number;
}

const DEFAULT_WIDTH = 760;
const HEIGHT = 232;
const EDGE = { left: 46, right: 18, top: 16, bottom: 34 };
const MIDDLE_OF_CROSS = HEIGHT - EDGE.bottom - 8;
/** Pixels between two dates. */
const DATE_ROOM = 64;
/** With more points than this in 100 pixels, dots are small. */
const CROWDED = 12;

interface Scales {
  readonly x: (at: number) => number;
  readonly y: (rate: number) => number;
  readonly right: number;
  readonly radius: number;
}

/** The rate over time with its interval as a band. The line has a gap where a run failed or a night is missing. */
export function historySvg(chart: HistoryChart, placement: Placement = 'file'): string {
  const width = Math.max(240, Math.round(chart.width ?? DEFAULT_WIDTH));
  const { points } = chart;
  const [first, last] = [points[0], points.at(-1)];
  if (first === undefined || last === undefined) return emptySvg(chart.title, width, placement);
  const time = timeAxis(first.at, last.at, (width - EDGE.left - EDGE.right) / DATE_ROOM);
  const rates = rateAxis(lowestOf(chart));
  const scales = scalesOf({ time, rates, width, count: points.length });
  const body = [
    ...silences(points).map((silence) => gap(silence, scales)),
    axes({ time, rates }, scales),
    expectedLine(chart.expected, scales),
    ...stretches(points, hasRate).map((stretch) => stretchShapes(stretch, scales)),
    ...points.map((point) => pointShape(point, scales)),
  ].join('');
  const description = `${points.length} runs from ${day(first.at)} to ${day(last.at)}; the last: ${words(last)}`;
  return svgElement({ width, height: HEIGHT, title: chart.title, description, body, placement });
}

/** Date, rate, interval and verdict of a run in words. */
function words(mark: HistoryMark): string {
  const percent = percentOf(mark.successes, mark.valid);
  const alarm = mark.alarm ? ', drift alarm' : '';
  if (percent === null) return `no valid episode, ${mark.verdict}${alarm}`;
  return `${percent}% (${mark.successes}/${mark.valid}), interval ${intervalText(mark)} %, ${mark.verdict}${alarm}`;
}

/** `2026-11-29`, UTC. */
export function day(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}

function emptySvg(title: string, width: number, placement: Placement): string {
  const body = textElement('No runs', { x: width / 2, y: HEIGHT / 2, kind: 'rb-note', anchor: 'middle' });
  return svgElement({ width, height: HEIGHT, title, description: 'no runs', body, placement });
}

function hasRate(mark: HistoryMark): boolean {
  return mark.valid > 0;
}

function rateOf(mark: HistoryMark): number {
  return mark.successes / mark.valid;
}

function lowestOf({ points, expected }: HistoryChart): number {
  let lowest = expected ?? 1;
  for (const point of points) if (hasRate(point)) lowest = Math.min(lowest, point.low ?? rateOf(point));
  return lowest;
}

function scalesOf(plot: { time: Axis; rates: Axis; width: number; count: number }): Scales {
  const { time, rates, width, count } = plot;
  const right = width - EDGE.right;
  const bottom = HEIGHT - EDGE.bottom;
  const crowded = count / ((right - EDGE.left) / 100) > CROWDED;
  return {
    x: (at) => EDGE.left + 6 + ((at - time.from) / (time.to - time.from)) * (right - EDGE.left - 12),
    y: (rate) => bottom - ((rate - rates.from) / (rates.to - rates.from)) * (bottom - EDGE.top),
    right,
    radius: crowded ? 2 : 4,
  };
}

function axes({ time, rates }: { time: Axis; rates: Axis }, { x, y, right }: Scales): string {
  const lines = rates.ticks.map(({ value, label }) => {
    const at = y(value);
    const rule = `<line class="rb-rule" x1="${EDGE.left}" x2="${num(right)}" y1="${num(at)}" y2="${num(at)}"/>`;
    return rule + textElement(label, { x: EDGE.left - 8, y: at + 4, kind: 'rb-tick', anchor: 'end' });
  });
  const dates = time.ticks
    // A label at an edge would be cut.
    .filter(({ value }) => x(value) >= EDGE.left + 10 && x(value) <= right - 10)
    .map(({ value, label }) =>
      textElement(label, { x: x(value), y: HEIGHT - 12, kind: 'rb-tick', anchor: 'middle' }),
    );
  return [...lines, ...dates].join('');
}

function expectedLine(expected: number | null, { y, right }: Scales): string {
  if (expected === null) return '';
  const at = num(y(expected));
  return `<g>${titleElement(`Accepted baseline: ${percentOfRate(expected) ?? ''} %`)}<line class="rb-expected" x1="${EDGE.left}" x2="${num(right)}" y1="${at}" y2="${at}"/></g>`;
}

function gap({ from, to, missing }: { from: number; to: number; missing: number }, { x }: Scales): string {
  const left = x(from) + 5;
  const width = Math.max(1, x(to) - x(from) - 10);
  const title = titleElement(
    `${missing} ${missing === 1 ? 'run is' : 'runs are'} missing after ${day(from)}`,
  );
  return `<rect class="rb-gap" x="${num(left)}" y="${EDGE.top}" width="${num(width)}" height="${HEIGHT - EDGE.top - EDGE.bottom}">${title}</rect>`;
}

function stretchShapes(stretch: readonly HistoryMark[], { x, y }: Scales): string {
  const [only] = stretch;
  if (stretch.length === 1 && only !== undefined) {
    const at = num(x(only.at));
    const [high, low] = [only.high ?? rateOf(only), only.low ?? rateOf(only)];
    return `<line class="rb-lone" x1="${at}" x2="${at}" y1="${num(y(high))}" y2="${num(y(low))}"/>`;
  }
  const upper = stretch.map((mark) => `${num(x(mark.at))} ${num(y(mark.high ?? rateOf(mark)))}`);
  const lower = stretch.map((mark) => `${num(x(mark.at))} ${num(y(mark.low ?? rateOf(mark)))}`);
  const line = stretch.map((mark) => `${num(x(mark.at))} ${num(y(rateOf(mark)))}`);
  return `<path class="rb-band" d="M${[...upper, ...lower.reverse()].join('L')}Z"/><path class="rb-path" d="M${line.join('L')}"/>`;
}

function pointShape(mark: HistoryMark, { x, y, radius }: Scales): string {
  const at = x(mark.at);
  const title = titleElement(`${mark.name}: ${words(mark)}`);
  if (!hasRate(mark)) return `<g>${title}${cross(at, MIDDLE_OF_CROSS)}</g>`;
  const height = y(rateOf(mark));
  const ring = mark.alarm
    ? `<circle class="rb-ring" cx="${num(at)}" cy="${num(height)}" r="${radius + 4}"/>`
    : '';
  return `<g>${title}${ring}${verdictShape(mark.verdict, { at, height, radius })}</g>`;
}

/** A shape and a colour per verdict, so that neither has to be seen. */
function verdictShape(verdict: Verdict, dot: { at: number; height: number; radius: number }): string {
  const { at, height, radius } = dot;
  if (verdict === 'FAIL') {
    const half = radius + 1;
    return `<path class="rb-dot-fail" d="M${num(at)} ${num(height - half)}l${half} ${half}-${half} ${half}-${half}-${half}z"/>`;
  }
  if (verdict === 'INVALID') return cross(at, height);
  const kind = verdict === 'PASS' ? 'rb-dot' : 'rb-dot-open';
  return `<circle class="${kind}" cx="${num(at)}" cy="${num(height)}" r="${radius}"/>`;
}

function cross(at: number, height: number): string {
  return `<path class="rb-cross" d="M${num(at - 4)} ${num(height - 4)}l8 8m0-8l-8 8"/>`;
}
