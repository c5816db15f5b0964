import { UNKNOWN } from '../text/format.ts';
import type { ReportView } from '../view/report-view.ts';
import type { CellComparison, PageContext } from './comparison.ts';
import { foreign, type Html, html } from './html.ts';

interface Around {
  readonly context: PageContext;
  readonly compared: CellComparison | null;
}

/** Where the eye lands: the change since the baseline in words, else the rate; with its interval and what it is against. */
export function answerLine(view: ReportView, { context: { comparison }, compared }: Around): Html {
  const [first] = view.aggregate.filter(({ arm }) => arm === 'candidate').concat(view.aggregate);
  const rate = first?.rate ?? 'not run';
  if (comparison === null) {
    const interval =
      first === undefined || first.interval === UNKNOWN ? '' : `, 95 % interval ${first.interval} %`;
    const cells =
      compared === null
        ? null
        : html`; against the baseline ${compared.total.regressed} regressed, ${compared.total.fixed} fixed`;
    return html`<p class="answer"><b>${rate}</b> <span>${successWord(rate)}${interval}${cells}</span></p>`;
  }
  const { change, baseline, baselineRate, shared, common = shared } = comparison;
  const [points = UNKNOWN, interval = ''] = change.split(/ (?=\()/);
  const range = interval === '' ? '' : `95 % ${interval.replace(/[()]/g, '')}, `;
  const where = common === undefined ? '' : `; ${common}`;
  return html`<p class="answer"><b>${changeWords(points, view.ruling)}</b> <span>${range}against ${foreign(baseline)}: ${rate}, before ${baselineRate}${where}</span></p>`;
}

/** `Worse by 38.0 points`, `Lower by 2.0 points: not worse`: only the verdict says that a difference is more than chance. */
function changeWords(points: string, ruling: string): string {
  const size = points.replace(/^[−+]/, '');
  if (!/^[−+]?\d/.test(points)) return `Change unknown: ${ruling}`;
  if (ruling === 'worse') return `Worse by ${size} points`;
  const direction = points.startsWith('−') ? `Lower by ${size} points` : `Higher by ${size} points`;
  return `${/^[0.]+$/.test(size) ? 'The same rate' : direction}: ${ruling}`;
}

/** Only a rate is one of successes; `not run` and its like speak for themselves. */
function successWord(rate: string): string {
  return /%/.test(rate) ? 'success rate' : 'no success rate';
}
