import { fixed, givenPercent, percentOf, percentOfRate, points } from '../../stats/rounding.ts';
import type { Interval } from '../../stats/wilson.ts';
import type { AnchorSummary } from '../../verdict/anchor.ts';
import type { Assessment } from '../../verdict/from-records.ts';
import { SHOWN_LEVEL } from '../../verdict/levels.ts';
import type { PairedSummary, RerunNoise, TaskComparison } from '../../verdict/paired-summary.ts';
import type { UnpairedSummary } from '../../verdict/unpaired-summary.ts';
import { UNKNOWN } from '../text/format.ts';
import { type ComparisonReport, plainRow, type ViewRow } from './report-input.ts';

const LEVEL_TEXT = `${Math.round(SHOWN_LEVEL * 100)} %`;

/** What an assessment says about the baseline; null when the candidate was compared with nothing. Pure. */
export function comparisonReport(assessment: Assessment): ComparisonReport | null {
  const { decision, anchor, paired, unpaired, noise } = assessment;
  const said = decidesFact(assessment);
  if (paired !== null) {
    const report = sinceAnchor(withFacts(said, pairedReport(paired, noise)), anchor);
    return decision.verdict === 'INVALID' && paired.lost > 0 ? onCommonCells(report, paired) : report;
  }
  return unpaired === null ? null : sinceAnchor(withFacts(said, unpairedReport(unpaired)), anchor);
}

/** Which number decides, for readers of one comment; the reason's sentence has the numbers. */
function decidesFact({ decision, stop }: Assessment): string[] {
  if (decision.verdict === 'INVALID') return [];
  const at = stop === null ? '0.050' : 'the limit beside it';
  return [`What decides are the p values of the reason: at ${at} or less a claim counts as shown.`];
}

function withFacts(said: readonly string[], report: ComparisonReport): ComparisonReport {
  return { ...report, facts: [...said, ...(report.facts ?? [])] };
}

function pairedReport(summary: PairedSummary, noise: RerunNoise | null): ComparisonReport {
  const { table } = summary;
  const change = changeText(summary.delta, summary.interval);
  return {
    baseline: summary.baseline,
    baselineRate: rateOf(table.both + table.regressed, table.n),
    change,
    regressed: table.regressed,
    fixed: table.fixed,
    matched: true,
    ...sharedWords(summary),
    facts: [
      ...familyFact(summary),
      ...worstFact(summary),
      visibleFact(summary.detectableDrop),
      ...(noise === null ? [] : [`Two runs of this policy disagree on ${noiseText(noise)}.`]),
    ],
    rows: [
      plainRow('Baseline', `${summary.baseline}, on the same initial states`),
      plainRow('Candidate on the pairs', rateOf(table.both + table.fixed, table.n)),
      plainRow('Baseline on the pairs', rateOf(table.both + table.regressed, table.n)),
      plainRow(`Difference in points (${meaning(summary)}${LEVEL_TEXT}, Tango)`, change),
      ...familyRows(summary),
      plainRow('What decides', WHAT_DECIDES),
      plainRow(
        weighted(summary)
          ? 'Regressed / fixed / pairs, each episode counted once'
          : 'Regressed / fixed / pairs',
        `${table.regressed} / ${table.fixed} / ${table.n}`,
      ),
      plainRow('Pairs without both results', `${summary.lost} of ${summary.planned}`),
      ...(summary.added === undefined
        ? []
        : [plainRow('New cells, which the baseline was not asked for', `${summary.added}`)]),
      ...probabilityRows(summary),
      ...worstRows(summary),
      plainRow('Smallest drop it would have seen (80 % power)', dropText(summary.detectableDrop)),
      ...(noise === null
        ? []
        : [plainRow('Rerun noise: two runs of this policy disagree on', noiseText(noise))]),
    ],
  };
}

/** An extended plan is compared over what both have, which every rendering says beside the change. */
function sharedWords({ planned, added }: PairedSummary): Pick<ComparisonReport, 'shared'> {
  return added === undefined
    ? {}
    : { shared: `over the ${planned} of ${planned + added} cells that both have` };
}

/** The change since the anchor, beside that against the baseline. */
function sinceAnchor(report: ComparisonReport, anchor: AnchorSummary | null): ComparisonReport {
  if (anchor === null) return report;
  const { name, delta, interval, regressed, fixed: repaired, pairs, margin } = anchor;
  const change = interval === null ? `${points(delta)}` : changeText(delta, interval);
  const counts = `${regressed} regressed, ${repaired} fixed of ${pairs}`;
  const allowed = `${givenPercent(margin)} points are allowed`;
  return {
    ...report,
    facts: [
      `Change since the anchor ${name}: ${change} points (${counts}; ${allowed}).`,
      ...(report.facts ?? []),
    ],
    rows: [
      ...report.rows,
      plainRow(`Change since the anchor ${name}, points (${LEVEL_TEXT})`, `${change}; ${counts}; ${allowed}`),
    ],
  };
}

/** Two sides of different cells have no change as such: it is named only with the cells that they share. */
function onCommonCells(report: ComparisonReport, { table, planned }: PairedSummary): ComparisonReport {
  const common = `on ${table.n} of ${planned} planned cells, those with a result on both sides`;
  const difference = `${report.change.split(' ')[0] ?? ''} (`;
  return {
    ...report,
    change: UNKNOWN,
    common,
    facts: [`Change ${common}: ${report.change} points.`, ...(report.facts ?? [])],
    rows: report.rows.map((each) =>
      each.value.startsWith(difference) ? { ...each, label: `${each.label}, ${common}` } : each,
    ),
  };
}

const WHAT_DECIDES = 'the exact one-sided p values of the reason, at 5 %; intervals only show';

/** States or tasks have weights, so that plain counts of episodes do not give the difference. */
function weighted({ byState, byTask }: PairedSummary): boolean {
  return byState || byTask;
}

/** Of what the difference is the mean, where that is not every pair alike. */
function meaning({ byState, byTask }: PairedSummary): string {
  const parts = [
    ...(byTask ? ['every task weighs the same'] : []),
    ...(byState ? ['the runs of a state averaged'] : []),
  ];
  return parts.length === 0 ? '' : `${parts.join(', ')}; `;
}

/** `1.2% of episodes (6/500; 95 % 0.6–2.6)` */
function noiseText({ disagreeing, pairs, interval }: RerunNoise): string {
  const range = `${percentOfRate(interval.low)}–${percentOfRate(interval.high)}`;
  return `${percentOf(disagreeing, pairs) ?? '0.0'}% of episodes (${disagreeing}/${pairs}; ${LEVEL_TEXT} ${range})`;
}

/** These tasks are what decides; what they say of others is wider. */
function familyFact({ family }: PairedSummary): string[] {
  if (family === null) return [];
  const range = `${points(family.low)} to ${points(family.high)} points (${LEVEL_TEXT})`;
  return [`The verdict is about these tasks; on other tasks of their kind the change may be ${range}.`];
}

function familyRows({ delta, family }: PairedSummary): ViewRow[] {
  if (family === null) return [];
  return [
    plainRow(
      `Difference on tasks like these in points (${LEVEL_TEXT}, two-stage bootstrap)`,
      changeText(delta, family),
    ),
  ];
}

function worstFact({ worstTask, tasks }: PairedSummary): string[] {
  if (worstTask === null) return [];
  const among = tasks.length === 1 ? '' : `, even as the worst of ${tasks.length} tasks`;
  const told = worstTask.flagged
    ? `more than chance explains${among}`
    : `that alone can be chance${tasks.length === 1 ? '' : `, as the worst of ${tasks.length} tasks`}`;
  return [`Worst task: #${worstTask.taskId}, ${taskText(worstTask)}; ${told}.`];
}

function visibleFact(drop: number | null): string {
  return drop === null
    ? 'This comparison could have shown no drop at all.'
    : `A run of this size misses more than one in five true drops that are smaller than ${dropText(drop)}.`;
}

function probabilityRows({ pWorse, weightedP }: PairedSummary): ViewRow[] {
  if (pWorse !== null) return [plainRow('P(candidate worse), shown only', probability(pWorse))];
  return weightedP === null
    ? []
    : [plainRow('One-sided p of "no worse", of the weighted difference', probability(weightedP))];
}

function worstRows({ worstTask }: PairedSummary): ViewRow[] {
  if (worstTask === null) return [];
  const flag = worstTask.flagged ? ', collapsed' : '';
  return [
    plainRow(
      'Worst task',
      `#${worstTask.taskId}: ${taskText(worstTask)} (p ${probability(worstTask.holmP)} after Holm${flag})`,
    ),
  ];
}

function unpairedReport(summary: UnpairedSummary): ComparisonReport {
  const change = changeText(summary.delta, summary.interval);
  return {
    baseline: summary.baseline,
    baselineRate: rateOf(summary.published.k, summary.published.n),
    change,
    regressed: 0,
    fixed: 0,
    matched: false,
    facts: [visibleFact(summary.detectableDrop)],
    rows: [
      plainRow('Baseline', `${summary.baseline}, a count: initial states are not matched`),
      plainRow('Candidate', rateOf(summary.candidate.k, summary.candidate.n)),
      plainRow('Baseline rate', rateOf(summary.published.k, summary.published.n)),
      plainRow(`Difference in points (${LEVEL_TEXT}, Newcombe)`, change),
      plainRow('P(candidate worse), shown only', probability(summary.pWorse)),
      plainRow("Fisher's exact test, two-sided p", probability(summary.fisherP)),
      plainRow('Smallest drop it would have seen (80 % power)', dropText(summary.detectableDrop)),
    ],
  };
}

/** `50 → 36 of 50, 14 regressed, 0 fixed`; with several runs a state, how many states stand behind them. */
function taskText({ table, states }: TaskComparison): string {
  const { both, fixed: repaired, regressed, n } = table;
  return `${both + regressed} → ${both + repaired} of ${n}, ${regressed} regressed, ${repaired} fixed${states < n ? ` on ${states} states` : ''}`;
}

/** `−4.0 (−6.4 to −2.0)` */
export function changeText(delta: number, interval: Interval): string {
  return `${points(delta)} (${points(interval.low)} to ${points(interval.high)})`;
}

function rateOf(k: number, n: number): string {
  const percent = percentOf(k, n);
  return percent === null ? 'no episodes' : `${percent}% (${k}/${n})`;
}

function probability(p: number): string {
  if (p > 0.999) return '> 0.999';
  if (p < 0.001) return '< 0.001';
  return fixed(p, 3) ?? '–';
}

function dropText(drop: number | null): string {
  return drop === null ? 'none' : `${fixed(drop * 100, 1)} points`;
}
