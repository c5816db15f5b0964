import { candidateOf } from '../../results/candidate.ts';
import { caseAnchor } from '../page/anchor.ts';
import type { TaskChange } from '../page/comparison.ts';
import { markdownCode, markdownText, plainLine } from '../text/escape.ts';
import type { CommentInput, CommentSuite, EpisodeRef } from './comment-input.ts';
import { ICONS, row, safeUrl } from './pieces.ts';

/** Tasks shown unfolded. */
const SHOWN_TASKS = 3;
/** Suites with a line of their own. */
const SHOWN_SUITES = 8;
const LANGUAGE_LIMIT = 60;

/** What is not folded: a line a suite, tasks that fell, what to do next. `said` leaves out the links. */
export function shortTop(input: CommentInput): { readonly text: string; readonly said: string } {
  const { suites } = input;
  const shown = suites.slice(0, SHOWN_SUITES).map((suite) => suiteLine(suite));
  const more = suites.length - shown.length;
  const [only = ''] = shown;
  const title =
    suites.length === 1
      ? `### ${only}`
      : `### ${ICONS[input.verdict] ?? ''} ${markdownText(input.verdict)}: ${suites.length} suites\n\n${shown.map((line) => `- ${line}\n`).join('')}${more > 0 ? `- and ${more} more suites, below\n` : ''}`;
  const interrupted =
    input.marker.state === 'interrupted' ? '\n\nInterrupted: what was measured until then.' : '';
  const fork = input.unauthenticated ? '\n\n> From a fork: these results are not authenticated.' : '';
  const top = `${title}${interrupted}${fork}${cautions(suites)}`;
  return {
    text: `${top}${taskTable(suites, true)}${nextLine(input)}`,
    said: `${top}${taskTable(suites, false)}`,
  };
}

/** `❌ FAIL: libero_spatial 91.0% (91/100), −6.0 points (−12.9 to −0.6) against main: worse` */
function suiteLine({ view, comparison }: CommentSuite): string {
  const candidate = candidateOf(view.aggregate);
  const rate = candidate?.rate ?? 'not run';
  const against =
    comparison === null
      ? ''
      : `, ${comparison.common === undefined ? `${markdownText(comparison.change)} points${sharedText(comparison)}` : 'change unknown'} against ${markdownText(comparison.baseline)}`;
  return `${ICONS[view.verdict] ?? ''} ${view.verdict}: ${markdownText(view.suite)} ${rate}${against}: ${markdownText(view.ruling)}`;
}

function sharedText({ shared }: NonNullable<CommentSuite['comparison']>): string {
  return shared === undefined ? '' : ` ${shared}`;
}

function cautions(suites: readonly CommentSuite[]): string {
  const texts = new Set(suites.flatMap(({ view }) => (view.caution === null ? [] : [view.caution])));
  return [...texts].map((text) => `\n\n> ${markdownText(text)}`).join('');
}

interface FallenTask {
  readonly suite: string;
  readonly taskId: number;
  readonly language: string;
  readonly before: string;
  readonly now: string;
  readonly regressed: number;
  readonly fixed: number;
  /** Where an episode of it that regressed is shown; null where nothing is. */
  readonly seen: string | null;
}

/** At most three tasks that lost more initial states than they won, the worst first; empty without one. */
function taskTable(suites: readonly CommentSuite[], isLinked: boolean): string {
  const fallen = suites.flatMap(fallenTasks).sort((left, right) => lossOf(right) - lossOf(left));
  const shown = fallen.slice(0, SHOWN_TASKS);
  if (shown.length === 0) return '';
  const several = suites.length > 1;
  const titles = [...(several ? ['Suite'] : []), 'Task', 'Before', 'Now', 'Regressed / fixed'];
  const rows = shown.map((task) =>
    row([
      ...(several ? [markdownText(task.suite)] : []),
      taskCell(task, isLinked),
      task.before,
      task.now,
      `${task.regressed} / ${task.fixed}`,
    ]),
  );
  const more = fallen.length - shown.length;
  const rest = more === 0 ? '' : `\n${more} more ${more === 1 ? 'task' : 'tasks'} fell; see below.\n`;
  return `\n\n${row(titles)}${row(titles.map(() => '---'))}${rows.join('')}${rest}`.trimEnd();
}

/** With a way to what there is to see of an episode that regressed. */
function taskCell({ taskId, language, seen }: FallenTask, isLinked: boolean): string {
  const name = `${taskId} ${markdownText(plainLine(language, LANGUAGE_LIMIT))}`;
  return seen === null || !isLinked ? name : `${name} · [see why](${safeUrl(seen)})`;
}

const lossOf = ({ regressed, fixed }: Pick<TaskChange, 'regressed' | 'fixed'>): number => regressed - fixed;

function fallenTasks({ view, comparison, pageUrl }: CommentSuite): FallenTask[] {
  const arm = candidateOf(view.arms);
  return (arm?.tasks ?? []).flatMap(({ taskId, language, rate }) => {
    const change = comparison?.tasks.get(taskId);
    if (change === undefined || lossOf(change) <= 0) return [];
    const { successes, valid, regressed, fixed } = change;
    const before = `${successes}/${valid}`;
    const first = comparison?.regressedEpisodes.find((episode) => episode.taskId === taskId);
    const anchor = first === undefined ? '' : `#${caseAnchor({ ...first, arm: 'candidate' })}`;
    const seen = pageUrl === null || anchor === '' ? null : `${pageUrl}${anchor}`;
    return [{ suite: view.suite, taskId, language, before, now: rate, regressed, fixed, seen }];
  });
}

/** Where to look and what to run; nothing for a verdict that asks for nothing and has no page. */
function nextLine({ suites, reportUrl, artifactUrl, rerun }: CommentInput): string {
  const pages = suites.flatMap(({ view, pageUrl }) =>
    pageUrl === null
      ? []
      : [`[${suites.length === 1 ? 'page' : markdownText(view.suite)}](${safeUrl(pageUrl)})`],
  );
  const places = [
    ...pages.slice(0, SHOWN_SUITES),
    ...(pages.length === 0 && reportUrl !== null ? [`[report](${safeUrl(reportUrl)})`] : []),
    ...(artifactUrl === null ? [] : [`[page and evidence](${safeUrl(artifactUrl)})`]),
  ];
  const first = firstEpisode(suites);
  const again = first === null ? '' : rerun(first.suite, first.episode);
  const command = again === '' ? '' : markdownCode(again);
  const told = command === '' ? [] : [`rerun one that ${first?.what ?? ''}: ${command}`];
  const parts = [...places, ...told];
  return parts.length === 0 ? '' : `\n\nNext: ${parts.join(' · ')}`;
}

function firstEpisode(
  suites: readonly CommentSuite[],
): { suite: string; episode: EpisodeRef; what: string } | null {
  for (const { view, comparison } of suites) {
    const worst = comparison?.regressedEpisodes[0];
    if (worst !== undefined) return { suite: view.suite, episode: worst, what: 'regressed' };
  }
  for (const { view } of suites) {
    const failed = view.failures.episodes.find(({ arm }) => arm === 'candidate');
    if (failed !== undefined && view.verdict !== 'PASS')
      return { suite: view.suite, episode: failed, what: 'failed' };
  }
  return null;
}
