import type { ArmResult } from '../../model/results.ts';
import type { Verdict } from '../../model/verdict.ts';
import { rateBar } from '../charts/mini.ts';
import { durationText, halfText, intervalText, plainRateText, rateText } from '../text/format.ts';
import type { ReportInput } from '../view/report-input.ts';
import type { ReportView } from '../view/report-view.ts';
import type { CellComparison, PageContext } from './comparison.ts';
import { foreign, type Html, html, link, trusted } from './html.ts';

const MEANING: Readonly<Record<Verdict, string>> = {
  PASS: 'Every gate is met.',
  FAIL: 'A gate is missed.',
  INCONCLUSIVE: 'The evidence decides nothing yet.',
  INVALID: 'The evidence cannot be used.',
};

/** Paths in a box of 24; shapes differ, so that the verdict can be seen without its colour. */
const SIGNS: Readonly<Record<Verdict, string>> = {
  PASS: '<path d="M6.5 12.5l4 4 7-8.5"/>',
  FAIL: '<path d="M8 8l8 8m0-8l-8 8"/>',
  INCONCLUSIVE: '<path d="M9 9.3c.4-3.6 6-3.3 6 .2 0 2.2-3 2.4-3 4.6m0 2.9v.01"/>',
  INVALID: '<path d="M12 6.5v7m0 3.6v.01"/>',
};

export const VERDICT_TINTS: Readonly<Record<Verdict, string>> = {
  PASS: '#0b7a5b',
  FAIL: '#b42318',
  INCONCLUSIVE: '#9a6700',
  INVALID: '#5d6472',
};

/** The verdict as a word with its sign. */
export function verdictBadge(verdict: Verdict): Html {
  const sign = `<svg viewBox="0 0 24 24" width="24" height="24" aria-hidden="true">${SIGNS[verdict]}</svg>`;
  return html`<span class="verdict v-${verdict.toLowerCase()}">${trusted(sign)}<b>${verdict}</b></span>`;
}

/** Verdict, why, and the numbers that decide, first of all. */
export function verdictSection(
  input: ReportInput,
  view: ReportView,
  parts: { context: PageContext; compared: CellComparison | null },
): Html {
  const { decision, results } = input;
  const reasons = view.reasons.length === 0 ? ['no rule applied'] : view.reasons;
  const provisional = input.provisional
    ? html`<p class="aside">Provisional: the run decides without a baseline from elsewhere; the report that compares with one has the last word.</p>`
    : null;
  return html`<section class="lead" aria-labelledby="verdict">
<h2 id="verdict" class="hidden">Verdict</h2>
<div class="ruling">
${verdictBadge(decision.verdict)}<p class="meaning">${MEANING[decision.verdict]}</p>
<ul class="reasons">${reasons.map((text) => html`<li>${foreign(text)}</li>`)}</ul>
${provisional}
</div>
${results.arms.map((arm) => figures(arm, input, parts))}
${warnings(view.warnings)}
</section>`;
}

function warnings(texts: readonly string[]): Html | null {
  if (texts.length === 0) return null;
  return html`<div class="warnings" role="note" aria-label="Warnings"><h3>${texts.length === 1 ? 'Warning' : `${texts.length} warnings`}</h3><ul>${texts.map((text) => html`<li>${foreign(text)}</li>`)}</ul></div>`;
}

function figures(
  arm: ArmResult,
  { results }: ReportInput,
  { context, compared }: { context: PageContext; compared: CellComparison | null },
): Html {
  const candidate = arm.arm === 'candidate';
  const name = results.arms.length > 1 ? html`<h3 class="arm">${arm.arm}</h3>` : null;
  return html`${name}<dl class="figures">
<div class="figure main"><dt>Success rate</dt><dd><b>${bigRate(arm)}</b> <span>${counts(arm)}</span>${trusted(rateBar(arm.successRate, null))}<span class="note">${levelText(results.level)} interval ${intervalText(arm.successRate)}${arm.successRate.n === 0 ? '' : ' %'}</span></dd></div>
${candidate ? change(context, compared) : null}
<div class="figure"><dt>Valid of planned</dt><dd><b>${arm.valid}</b> <span>of ${arm.planned}</span><span class="note">over planned ${rateText(arm.rateOverPlanned, arm)}</span></dd></div>
<div class="figure"><dt>Without valid outcome</dt><dd><b>${arm.planned - arm.valid - arm.unneeded}</b><span class="note">${lostWords(arm)}</span></dd></div>
<div class="figure"><dt>Mean of tasks</dt><dd><b>${plainRateText(arm.macroRate.rate)}</b><span class="note">${arm.macroRate.tasks} of ${arm.tasks.length} tasks measured</span></dd></div>
<div class="figure"><dt>Steps to success, median</dt><dd><b>${halfText(arm.stepsSuccessful.median)}</b><span class="note">${stepsWords(arm)}</span></dd></div>
</dl>`;
}

function stepsWords({ stepsSuccessful, durationMs }: ArmResult): string {
  const { medianLow, medianHigh } = stepsSuccessful;
  const interval =
    medianLow === null || medianHigh === null
      ? ''
      : `interval ${halfText(medianLow)}–${halfText(medianHigh)}, `;
  return `${interval}${durationText(durationMs.mean)} per episode`;
}

function bigRate(arm: ArmResult): string {
  return rateText(arm.successRate, arm).replace(/ \(.*/, '');
}

function counts(arm: ArmResult): string {
  const { k, n } = arm.successRate;
  return n === 0 ? '' : `${k} of ${n}`;
}

export function levelText(level: number): string {
  return `${Number((level * 100).toFixed(2))} %`;
}

function change({ comparison }: PageContext, compared: CellComparison | null): Html | null {
  if (comparison !== null) {
    const { baseline, baselineRate, regressed, fixed, common } = comparison;
    // A published count has no cells that could have regressed.
    const where = common === undefined ? '' : `${common}: `;
    const cells = compared === null ? where : `${where}${regressed} regressed, ${fixed} fixed `;
    const [points = '', interval = ''] = comparison.change.split(/ (?=\()/);
    return html`<div class="figure wide"><dt>Change, points</dt><dd><b>${points}</b> <span>${interval}</span><span class="note">${cells}against ${foreign(baseline)} at ${baselineRate}</span></dd></div>`;
  }
  if (compared === null) return null;
  const { regressed, fixed } = compared.total;
  return html`<div class="figure"><dt>Against the baseline</dt><dd><b>${regressed}</b> <span>regressed</span><span class="note">${fixed} fixed, on the same initial states</span></dd></div>`;
}

function lostWords({ outcomes }: ArmResult): string {
  const parts: [number, string][] = [
    [outcomes.timed_out, 'timed out'],
    [outcomes.error, outcomes.error === 1 ? 'error' : 'errors'],
    [outcomes.rejected, 'rejected'],
    [outcomes.cancelled, 'cancelled'],
    [outcomes.lost + outcomes.mismatch + outcomes.conflict + outcomes.missing, 'lost or unclear'],
    [outcomes.not_run + outcomes.after_stop, 'not run'],
  ];
  const said = parts.filter(([count]) => count > 0).map(([count, word]) => `${count} ${word}`);
  return said.length === 0 ? 'every planned episode counts' : said.join(', ');
}

export function linkRow(context: PageContext): Html | null {
  if (context.links.length === 0) return null;
  return html`<p class="links">${context.links.map(({ label, address }) => html`<span>${link(label, address)}</span> `)}</p>`;
}
