import type { Comparison } from '../policies/document.ts';
import { lettersText, policyIntervalText, policyRateText } from '../policies/words.ts';
import { type Axis, rateAxis } from './axes.ts';
import { fitted, num, type Placement, svgElement, textElement, titleElement } from './svg.ts';

const WIDTH = 760;
const NAME_WIDTH = 230;
const VALUE_WIDTH = 150;
const PLOT = { left: NAME_WIDTH + 16, right: WIDTH - VALUE_WIDTH - 20 };
const ROW = 26;
const TOP = 76;
const PADDING = 16;
/** Letters of a name that fit beside the plot. */
const NAME_UNITS = 32;
/** Letters of the groups that fit behind the rate. */
const GROUP_UNITS = 14;

type Policy = Comparison['policies'][number];

/** A dot with its interval for each policy, best first; the letters stand behind the rate. */
export function policyDotsSvg(comparison: Comparison, placement: Placement = 'file'): string {
  const { policies, suite, level } = comparison;
  const axis = rateAxis(Math.min(...policies.map(({ low, rate }) => low ?? rate ?? 1)));
  const bottom = TOP + policies.length * ROW;
  const title = `${suite}: success rate of ${policies.length} policies`;
  const lines = `lines: ${num(level * 100)} % interval of each policy by itself`;
  const body = [
    textElement(fitted(title, 90), { x: PADDING, y: 26, kind: 'rb-heading' }),
    textElement(`${lines} · same letter: not told apart`, { x: PADDING, y: 46, kind: 'rb-note' }),
    ...axis.ticks.map((tick) => tickLine(axis, tick, bottom)),
    ...policies.map((policy, index) => row(policy, axis, TOP + index * ROW)),
  ];
  return svgElement({
    width: WIDTH,
    height: bottom + PADDING,
    title,
    description: policies.map((policy) => `${policy.name} ${policyRateText(policy)}`).join(', '),
    body: body.join(''),
    placement,
  });
}

function tickLine(axis: Axis, { value, label }: Axis['ticks'][number], bottom: number): string {
  const x = place(axis, value);
  const rule = `<line class="rb-rule" x1="${num(x)}" x2="${num(x)}" y1="${TOP - 2}" y2="${num(bottom)}"/>`;
  return rule + textElement(label, { x, y: TOP - 6, kind: 'rb-tick', anchor: 'middle' });
}

function row(policy: Policy, axis: Axis, top: number): string {
  const middle = top + ROW / 2;
  const letters = lettersText(policy);
  const said = `${policy.name}: ${policyRateText(policy)}, interval ${policyIntervalText(policy)} %, letters ${letters}`;
  const name = textElement(fitted(policy.name, NAME_UNITS), { x: 0, y: 17, kind: 'rb-name' });
  const value = `${policyRateText(policy)}  ${fitted(letters, GROUP_UNITS)}`;
  return [
    `<g>${titleElement(said)}`,
    // A nested viewport cuts a label that a wide font makes longer than measured.
    `<svg x="${PADDING}" y="${num(top)}" width="${NAME_WIDTH - PADDING}" height="${ROW}">${name}</svg>`,
    dot(policy, axis, middle),
    textElement(value, { x: PLOT.right + 16, y: middle + 4, kind: 'rb-value' }),
    '</g>',
  ].join('');
}

function dot({ rate, low, high }: Policy, axis: Axis, middle: number): string {
  if (rate === null) return '';
  const centre = `<circle class="rb-dot" cx="${num(place(axis, rate))}" cy="${num(middle)}" r="5"/>`;
  if (low === null || high === null) return centre;
  const [from, to] = [num(place(axis, low)), num(place(axis, high))];
  const cap = (x: string): string => `M${x} ${num(middle - 4)}V${num(middle + 4)}`;
  return `<path class="rb-whisker" d="M${from} ${num(middle)}H${to}${cap(from)}${cap(to)}"/>${centre}`;
}

function place({ from, to }: Axis, rate: number): number {
  return PLOT.left + ((rate - from) / (to - from)) * (PLOT.right - PLOT.left);
}
