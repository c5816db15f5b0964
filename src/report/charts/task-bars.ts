import type { ArmResult, Rate, Results } from '../../model/results.ts';
import { intervalText, plainRateText, rateText } from '../text/format.ts';
import { distinctNames } from './distinct-names.ts';
import { fitted, num, type Placement, svgElement, textElement, titleElement } from './svg.ts';

/** One bar: a rate with its interval. Rates are 0..1. */
interface RateBar {
  readonly name: string;
  /** The name as the row has room for; the whole is in the row's title. */
  readonly shortName?: string;
  readonly rate: Rate;
  readonly planned: number;
  readonly recorded: number;
  /** Rate of the baseline on the same task, null when there is none. */
  readonly baseline: number | null;
}

interface TaskBarsChart {
  readonly title: string;
  /** Confidence level of the intervals, 0.95. */
  readonly level: number;
  /** The suite's own rate, under the tasks; null leaves it out. */
  readonly total: RateBar | null;
  readonly bars: readonly RateBar[];
}

const WIDTH = 760;
const NAME_WIDTH = 268;
const VALUE_WIDTH = 168;
const PLOT = { left: NAME_WIDTH + 12, right: WIDTH - VALUE_WIDTH - 16 };
const ROW = 30;
const TOP = 64;
const PADDING = 16;
/** Letters of a name that fit beside the bar. */
const NAME_UNITS = 37;
const TICKS = [0, 0.25, 0.5, 0.75, 1];

/**
 * The chart of one arm's tasks in the order of the results.
 * @param baselineRates rate per task id, and under null the suite's; a task without one has no mark
 */
export function taskBarsOf(
  results: Results,
  arm: ArmResult,
  baselineRates: ReadonlyMap<number | null, number>,
): TaskBarsChart {
  const bar = (name: string, counts: Pick<ArmResult, 'successRate' | 'planned' | 'recorded'>) => ({
    name,
    rate: counts.successRate,
    planned: counts.planned,
    recorded: counts.recorded,
  });
  const names = distinctNames(arm.tasks.map(({ language }) => language));
  return {
    title: `${results.suite}: success rate per task, ${arm.arm}`,
    level: results.level,
    total: { ...bar('All tasks', arm), baseline: baselineRates.get(null) ?? null },
    bars: arm.tasks.map((task, index) => ({
      ...bar(`Task ${task.taskId}, ${task.language}`, task),
      shortName: `${task.taskId}  ${names[index] ?? ''}`,
      baseline: baselineRates.get(task.taskId) ?? null,
    })),
  };
}

/** Bars with intervals, the baseline's rate as a mark on each; one `title` per row. */
export function taskBarsSvg(chart: TaskBarsChart, placement: Placement = 'file'): string {
  const rows = chart.total === null ? chart.bars : [...chart.bars, chart.total];
  const bottom = TOP + rows.length * ROW;
  const height = bottom + (chart.total === null ? 0 : 10) + PADDING;
  const body = [
    textElement(fitted(chart.title, 90), { x: PADDING, y: 26, kind: 'rb-heading' }),
    textElement(legend(chart), { x: PADDING, y: 46, kind: 'rb-note' }),
    ...TICKS.map((tick) => tickLine(tick, height - PADDING)),
    ...chart.bars.map((bar, index) => row(bar, TOP + index * ROW, false)),
    chart.total === null ? '' : totalRow(chart.total, TOP + chart.bars.length * ROW),
  ];
  return svgElement({
    width: WIDTH,
    height,
    title: chart.title,
    description: `${chart.bars.length} tasks with ${level(chart)} intervals`,
    body: body.join(''),
    placement,
  });
}

function level(chart: TaskBarsChart): string {
  return `${num(chart.level * 100)} %`;
}

function legend(chart: TaskBarsChart): string {
  const marked = [chart.total, ...chart.bars].some((bar) => bar !== null && bar.baseline !== null);
  return `lines: ${level(chart)} interval${marked ? ' · diamonds: baseline' : ''}`;
}

function tickLine(tick: number, bottom: number): string {
  const x = place(tick);
  return `<line class="rb-rule" x1="${num(x)}" x2="${num(x)}" y1="${TOP - 4}" y2="${num(bottom)}"/>${textElement(`${tick * 100}%`, { x, y: TOP - 10, kind: 'rb-tick', anchor: 'middle' })}`;
}

function totalRow(bar: RateBar, top: number): string {
  const rule = `<line class="rb-rule" x1="${PADDING}" x2="${WIDTH - PADDING}" y1="${top + 5}" y2="${top + 5}"/>`;
  return rule + row(bar, top + 10, true);
}

function row(bar: RateBar, top: number, strong: boolean): string {
  const weight = strong ? ' rb-strong' : '';
  const middle = top + ROW / 2;
  const value = rateText(bar.rate, bar);
  const interval = bar.rate.n === 0 ? '' : `, interval ${intervalText(bar.rate)} %`;
  const baseline = bar.baseline === null ? '' : `, baseline ${plainRateText(bar.baseline)}`;
  const name = textElement(fitted(bar.shortName ?? bar.name, NAME_UNITS), {
    x: 0,
    y: 19,
    kind: `rb-name${weight}`,
  });
  return [
    `<g>${titleElement(`${bar.name}: ${value}${interval}${baseline}`)}`,
    // A nested viewport cuts a label that a wide font makes longer than measured.
    `<svg x="${PADDING}" y="${num(top)}" width="${NAME_WIDTH - PADDING}" height="${ROW}">${name}</svg>`,
    barShapes(bar, middle),
    textElement(value, { x: PLOT.right + 16, y: middle + 4, kind: `rb-value${weight}` }),
    '</g>',
  ].join('');
}

/** Track, bar, interval and baseline mark around the line `middle`. */
function barShapes({ rate, baseline }: RateBar, middle: number): string {
  const track = box('rb-track', { from: 0, to: 1, middle });
  if (rate.rate === null) return track;
  const bar = box('rb-bar', { from: 0, to: rate.rate, middle });
  return track + bar + whisker(rate, middle) + (baseline === null ? '' : diamond(place(baseline), middle));
}

function box(kind: string, span: { from: number; to: number; middle: number }): string {
  const left = place(span.from);
  const width = place(span.to) - left;
  return `<rect class="${kind}" x="${num(left)}" y="${num(span.middle - 6)}" width="${num(width)}" height="12" rx="2"/>`;
}

function whisker({ low, high }: Rate, middle: number): string {
  if (low === null || high === null) return '';
  const [from, to] = [num(place(low)), num(place(high))];
  const cap = (x: string) => `M${x} ${num(middle - 4)}V${num(middle + 4)}`;
  return `<path class="rb-whisker" d="M${from} ${num(middle)}H${to}${cap(from)}${cap(to)}"/>`;
}

function diamond(x: number, y: number): string {
  return `<path class="rb-baseline" d="M${num(x)} ${num(y - 6)}l6 6-6 6-6-6z"/>`;
}

function place(rate: number): number {
  return PLOT.left + rate * (PLOT.right - PLOT.left);
}
