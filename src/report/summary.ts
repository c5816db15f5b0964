import { type Section, withinBudget } from './budget.ts';
import { markdownCode, markdownText } from './text/escape.ts';
import { ROUNDING_RULE } from './text/format.ts';
import type { ReportView } from './view/report-view.ts';

/** GitHub drops a summary above 1 MiB whole, measured after it rewrote it; this stays clear of that. */
export const SUMMARY_BUDGET = 950_000;

const row = (cells: readonly (string | number)[]): string => `| ${cells.join(' | ')} |\n`;
const heading = (cells: readonly string[]): string => row(cells) + row(cells.map(() => '---'));

/** The job summary as Markdown, at most `budget` bytes after newline growth; rows at the end go first. */
export function summaryMarkdown(view: ReportView, budget: number = SUMMARY_BUDGET): string {
  const sections = [
    headSection(view),
    aggregateSection(view),
    comparisonSection(view),
    ...view.arms.map((arm) => taskSection(arm, view.arms.length > 1)),
    codeSection(view),
    limitSection(view),
    episodeSection(view),
  ].filter((section) => section !== null);
  return withinBudget(sections, budget);
}

function headSection(view: ReportView): Section {
  const provisional = view.provisional ? ' (provisional)' : '';
  return {
    head: `## ${markdownText(view.suite)}: ${markdownText(view.verdict)}${provisional}\n\n`,
    rows: [
      ...view.reasons.map((reason) => `- ${markdownText(reason)}\n`),
      ...view.warnings.map((warning) => `- Warning: ${markdownText(warning)}\n`),
    ],
    tail: '\n',
    noun: 'reasons and warnings',
  };
}

function aggregateSection(view: ReportView): Section {
  return {
    head: heading(['Arm', 'Success rate', '95 %', 'Over planned', 'Valid', 'Timed out', 'Errors', 'Not run']),
    rows: view.aggregate.map((arm) =>
      row([
        arm.arm,
        arm.rate,
        arm.interval,
        arm.overPlanned,
        arm.valid,
        arm.timedOut,
        arm.errors,
        arm.notRun,
      ]),
    ),
    tail: `\n${view.headlines.map((text) => `${markdownText(text)}\n`).join('')}\n${ROUNDING_RULE}\n\n`,
    noun: 'arms',
  };
}

function comparisonSection(view: ReportView): Section | null {
  if (view.comparison.length === 0) return null;
  return {
    head: `### Against the baseline\n\n${heading(['', ''])}`,
    rows: view.comparison.map(({ label, value }) => row([markdownText(label), markdownText(value)])),
    tail: '\n',
    noun: 'figures of the comparison',
  };
}

function taskSection(arm: ReportView['arms'][number], named: boolean): Section {
  return {
    head: `${named ? `### ${markdownText(arm.arm)}\n\n` : ''}${heading(['Task', 'Language', 'Success rate', '95 %', 'Steps to success', 'Without valid outcome'])}`,
    rows: arm.tasks.map((task) =>
      row([task.taskId, markdownText(task.language), task.rate, task.interval, task.steps, task.lost]),
    ),
    tail: '\n',
    noun: 'tasks',
  };
}

function codeSection({ failures }: ReportView): Section | null {
  if (failures.codes.length === 0) return null;
  return {
    head: `### Error codes\n\n${heading(['Code', 'Episodes', 'Sessions', 'Most frequent message'])}`,
    rows: failures.codes.map((code) =>
      row([markdownCode(code.code), code.episodes, code.sessions, markdownText(code.message)]),
    ),
    tail: '\n',
    noun: 'error codes',
  };
}

function limitSection(view: ReportView): Section {
  return {
    head: '### What this run could not have seen\n\n',
    rows: view.limits.map((limit) => `- ${markdownText(limit)}\n`),
    tail: '\n',
    noun: 'limits',
  };
}

function episodeSection({ failures }: ReportView): Section | null {
  if (failures.episodes.length === 0) return null;
  return {
    head: `<details><summary>Episodes without success</summary>\n\n${heading(['Task', 'Initial state', 'Arm', 'Outcome', 'Code', 'Session'])}`,
    rows: failures.episodes.map((episode) =>
      row([
        episode.taskId,
        episode.initStateId,
        episode.arm,
        episode.outcome,
        markdownCode(episode.code),
        markdownCode(episode.sessionId),
      ]),
    ),
    tail: `\n</details>\n${failures.omitted > 0 ? `\n${failures.omitted} more episodes are in episodes.csv.\n` : ''}`,
    noun: 'episodes',
  };
}
