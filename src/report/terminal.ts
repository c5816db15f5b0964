import { terminalTable } from './text/columns.ts';
import { terminalText } from './text/escape.ts';
import type { ReportView } from './view/report-view.ts';

/** Column of the task's language, which is cut where a line would be too long. */
const LANGUAGE = 1;

/** The end of a run on a terminal: verdict, per-task table, totals, and what to look at. Ends in a line feed. */
export function terminalReport(view: ReportView): string {
  const lines = [`${terminalText(view.suite)}: ${view.verdict}${view.provisional ? ' (provisional)' : ''}`];
  for (const reason of view.reasons) lines.push(`  ${terminalText(reason)}`);
  view.arms.forEach((arm, index) => {
    const total = view.aggregate[index];
    lines.push('', ...table(arm.tasks.map(taskCells), total === undefined ? null : totalCells(total)));
  });
  for (const line of view.headlines) lines.push(terminalText(line));
  for (const { label, value } of view.comparison) lines.push(`${label}: ${terminalText(value)}`);
  const codes = view.failures.codes.map(codeText);
  if (codes.length > 0) lines.push('', `Errors: ${terminalText(codes.join(', '))}`);
  for (const warning of view.warnings) lines.push(`Warning: ${terminalText(warning)}`);
  return `${lines.join('\n')}\n`;
}

/** Sessions whose episode ran again and came out well are no lost episodes. */
function codeText({ code, episodes, sessions }: ReportView['failures']['codes'][number]): string {
  if (episodes > 0) return `${code} ${episodes}`;
  return `${code} in ${sessions} ${sessions === 1 ? 'session' : 'sessions'}, run again`;
}

type Cells = readonly [string, string, string, string, string];

function taskCells(task: ReportView['arms'][number]['tasks'][number]): Cells {
  return [
    String(task.taskId),
    terminalText(task.language),
    task.rate,
    task.interval,
    task.lost === 0 ? '' : `${task.lost} not valid`,
  ];
}

function totalCells(total: ReportView['aggregate'][number]): Cells {
  const lost = total.lost === 0 ? '' : `${total.lost} not valid`;
  return ['', `all tasks, ${total.arm}`, total.rate, total.interval, lost];
}

function table(rows: readonly Cells[], total: Cells | null): string[] {
  const header: Cells = ['task', 'language', 'success', '95 %', ''];
  return terminalTable([header, ...rows, ...(total === null ? [] : [total])], [LANGUAGE]);
}
