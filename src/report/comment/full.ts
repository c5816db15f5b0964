import { candidateOf } from '../../results/candidate.ts';
import type { AverageOfSuites } from '../../verdict/several-suites.ts';
import { caseAnchor } from '../page/anchor.ts';
import type { TaskChange } from '../page/comparison.ts';
import { markdownCode, markdownText } from '../text/escape.ts';
import { changeText } from '../view/comparison-view.ts';
import type { TaskRow } from '../view/report-view.ts';
import type { CommentInput, CommentSuite, ComparisonView } from './comment-input.ts';
import { ICONS, row, safeUrl } from './pieces.ts';

/** Episodes listed one by one. */
const COMMENT_EPISODES = 10;

/** How much is said; each step says less. The verdict and the worst task of each suite are on every one. */
interface Detail {
  readonly tasks: 'all' | 'worst-ten' | 'worst';
  readonly episodes: number;
  readonly extras: boolean;
}
const LADDER: readonly Detail[] = [
  { tasks: 'all', episodes: COMMENT_EPISODES, extras: true },
  { tasks: 'worst-ten', episodes: COMMENT_EPISODES, extras: true },
  { tasks: 'worst-ten', episodes: 3, extras: false },
  { tasks: 'worst', episodes: 0, extras: false },
];

/** The steps of the long form, from the longest to the shortest; none when nothing was measured yet. */
export function fullSteps(input: CommentInput): (() => string)[] {
  return LADDER.map((detail) => () => body(input, detail));
}

function body(input: CommentInput, detail: Detail): string {
  const overview = input.suites.length === 0 ? '' : overviewTable(input.suites);
  const average = averageText(input.average);
  const warnings = input.warnings
    .slice(0, detail.extras ? 10 : 2)
    .map((text) => `- Warning: ${markdownText(text)}\n`);
  const suites = input.suites.map((suite) => suiteText(suite, detail, input));
  return `${overview}${average}${warnings.join('')}${suites.join('')}`;
}

/** What people read first of several suites: their mean, and what it decides. */
function averageText(average: AverageOfSuites | null): string {
  if (average === null) return '';
  const { decision, suites, delta, interval, regressed, fixed } = average;
  const change = changeText(delta, interval);
  const reasons = decision.reasons.map(({ text }) => `- ${markdownText(text)}\n`);
  return `**Average of ${suites.length} suites: ${markdownText(decision.verdict)}**, change ${change} points (95 % range), ${regressed} regressed, ${fixed} fixed.\n\n${reasons.join('')}\n`;
}

function overviewTable(suites: readonly CommentSuite[]): string {
  const compared = suites.some(({ comparison }) => comparison !== null);
  const titles = [
    'Suite',
    'Success rate',
    '95 % range',
    'Valid / planned',
    'Errors',
    ...(compared ? ['Baseline', 'Change in points (95 % range)', 'Regressed / fixed'] : []),
  ];
  const rows = suites.map((suite) => overviewRow(suite, compared));
  return `${row(titles)}${row(titles.map(() => '---'))}${rows.join('')}\n`;
}

function overviewRow({ view, comparison, pageUrl }: CommentSuite, compared: boolean): string {
  const candidate = candidateOf(view.aggregate);
  const name = markdownText(view.suite);
  const cells = [
    `${pageUrl === null ? name : `[${name}](${safeUrl(pageUrl)})`} ${ICONS[view.verdict] ?? ''}`,
    candidate?.rate ?? 'not run',
    candidate?.interval ?? '–',
    candidate === undefined ? '–' : `${candidate.valid} / ${candidate.planned}`,
    candidate === undefined ? '–' : String(candidate.errors + candidate.timedOut + candidate.other),
  ];
  if (!compared) return row(cells);
  if (comparison === null) return row([...cells, '–', '–', '–']);
  const { baselineRate, change, regressed, fixed, common } = comparison;
  const changed = comparison.matched === false || common !== undefined ? '–' : `${regressed} / ${fixed}`;
  return row([...cells, baselineRate, markdownText(change), changed]);
}

function suiteText(suite: CommentSuite, detail: Detail, input: CommentInput): string {
  const { view, comparison } = suite;
  const reasons = view.reasons.slice(0, detail.extras ? 10 : 2).map((text) => `- ${markdownText(text)}\n`);
  const against = comparison === null ? '' : againstText(comparison);
  const measured = detail.extras ? view.headlines.map((text) => `${markdownText(text)} `).join('') : '';
  const limits = detail.extras ? view.limits.slice(0, 4).map((text) => `- ${markdownText(text)}\n`) : [];
  const unseen = limits.length === 0 ? '' : `\nWhat this run could not have seen:\n\n${limits.join('')}`;
  return [
    `\n### ${markdownText(view.suite)}: ${markdownText(view.verdict)}\n\n`,
    view.caution === null ? '' : `- ${markdownText(view.caution)}\n`,
    ...reasons,
    against,
    taskText(suite, detail),
    measured === '' ? '' : `\n${measured.trimEnd()}\n`,
    episodeText(suite, detail, input),
    unseen,
  ].join('');
}

function againstText({ baseline, matched, facts = [] }: ComparisonView): string {
  const how = matched === false ? '; initial states are not matched' : ' on the same initial states';
  const said = facts.map((fact) => ` ${markdownText(fact)}`).join('');
  return `\nThe candidate is the policy that was measured, compared with ${markdownText(baseline)}${how}.${said}\n`;
}

/** Worst task first; tasks that never ran last, since nothing is known about them. */
function taskText({ view, comparison }: CommentSuite, { tasks }: Detail): string {
  const arm = candidateOf(view.arms);
  if (arm === undefined) return '';
  if (tasks === 'worst') {
    const worst = arm.worstTask;
    return worst === null
      ? ''
      : `\nWorst task: ${worst.taskId} (${markdownText(worst.language)}): ${worst.rate}.\n`;
  }
  const sorted = arm.tasks.toSorted((left, right) => successOf(left) - successOf(right));
  const shown = tasks === 'all' ? sorted : sorted.slice(0, 10);
  const left = sorted.length - shown.length;
  const byTask = comparison === null || comparison.tasks.size === 0 ? null : comparison.tasks;
  const titles = [
    'Task',
    'Language',
    'Success rate',
    '95 % range',
    ...(byTask === null ? [] : ['Against the baseline']),
  ];
  const rows = shown.map((task) => {
    const change = byTask === null ? [] : [changeWords(byTask.get(task.taskId))];
    return row([String(task.taskId), markdownText(task.language), task.rate, task.interval, ...change]);
  });
  const more = left === 0 ? '' : `\n${left} better tasks are in the report.\n`;
  return `\n${row(titles)}${row(titles.map(() => '---'))}${rows.join('')}${more}`;
}

function changeWords(change: TaskChange | undefined): string {
  if (change === undefined) return 'not compared';
  const { successes, valid, regressed, fixed } = change;
  return `was ${successes}/${valid}; ${regressed} regressed, ${fixed} fixed`;
}

/** After every rate where no valid episode told one. */
const successOf = ({ success }: TaskRow): number => success ?? 2;

function episodeText(
  { view, comparison, pageUrl }: CommentSuite,
  detail: Detail,
  input: CommentInput,
): string {
  const regressed = comparison?.regressedEpisodes ?? [];
  const failed = view.failures.episodes.filter(({ arm }) => arm === 'candidate');
  const episodes = (regressed.length > 0 ? regressed : failed).slice(0, detail.episodes);
  if (episodes.length === 0) return '';
  const total = regressed.length > 0 ? regressed.length : failed.length + view.failures.omitted;
  const what = regressed.length > 0 ? 'regressed episodes' : 'episodes without success';
  const lines = episodes.map((episode) => {
    const place = `task ${episode.taskId}, initial state ${episode.initStateId}, run ${episode.runIndex}`;
    const anchor = `#${caseAnchor({ ...episode, arm: 'candidate' })}`;
    const linked = pageUrl === null ? place : `[${place}](${safeUrl(pageUrl + anchor)})`;
    const again = input.rerun(view.suite, episode);
    return `- ${linked}: ${episode.outcome}${again === '' ? '' : ` · ${markdownCode(again)}`}\n`;
  });
  return `\n<details><summary>${episodes.length} of ${total} ${what}, with the command that reruns each</summary>\n\n${lines.join('')}\n</details>\n`;
}
