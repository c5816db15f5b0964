import type { ArmResult, TaskResult } from '../../model/results.ts';
import { percentOf, points } from '../../stats/rounding.ts';
import { rateBar } from '../charts/mini.ts';
import { intervalText, numberText, rateText, stepsText, UNKNOWN } from '../text/format.ts';
import type { ReportInput } from '../view/report-input.ts';
import { type CellComparison, rateChange, type TaskChange } from './comparison.ts';
import { foreign, type Html, html, trusted } from './html.ts';
import { later } from './later.ts';
import { scrollBox } from './table-parts.ts';
import { levelText } from './verdict-section.ts';

/** One sortable table per arm: rate, bar with interval, baseline and change, steps, return. */
export function taskSection({ results }: ReportInput, compared: CellComparison | null): Html {
  const tables = results.arms.map((arm) =>
    taskTable(arm, arm.arm === 'candidate' ? compared : null, results),
  );
  const mark = compared === null ? '' : ' The upright mark is the baseline.';
  return html`<section id="tasks" aria-labelledby="tasks-title">
<h2 id="tasks-title">Tasks</h2>
<p class="aside about-bars">Bars run from 0 to 100 %; the line over a bar is its ${levelText(results.level)} interval.${mark}</p>
${tables}
</section>`;
}

/** Rows before anything is asked for; all tasks of the usual suites. */
const SHOWN_TASKS = 10;

type Compared = CellComparison | null;

function taskTable(arm: ArmResult, compared: Compared, results: ReportInput['results']): Html {
  const several = results.arms.length > 1;
  const caption = several ? `Tasks, ${arm.arm}` : 'Tasks';
  const columns = COLUMNS.filter(({ isDrawn }) => isDrawn(arm, compared));
  const level = levelText(results.level);
  const heads = columns.map(({ title, sort, kind }) => {
    const name = title === '' ? level : title;
    return sort === null
      ? html`<th scope="col" class="${kind}">${name}</th>`
      : html`<th scope="col" data-sort="${sort}" class="${kind}">${name}</th>`;
  });
  const rows = worstFirst(arm.tasks, compared).map((task) => {
    const change = compared?.tasks.get(task.taskId) ?? null;
    return html`<tr>${columns.map((column) => column.cell(task, change))}</tr>
`;
  });
  const isLong = rows.length > SHOWN_TASKS + 5;
  const table = (id: string, title: string, drawn: readonly Html[], named: boolean): Html =>
    scrollBox(
      title,
      html`<table id="${id}" class="tasks${compared === null ? null : ' compared'}" data-sortable>
<caption class="${named ? 'named' : 'hidden'}">${title}</caption>
<thead><tr>${heads}</tr></thead>
<tbody>
${drawn}</tbody>
</table>`,
    );
  const id = `tasks-${arm.arm}`;
  if (!isLong) return table(id, caption, rows, several);
  const rest = table(`${id}-rest`, `${caption}: the others`, rows.slice(SHOWN_TASKS), true);
  return html`${table(id, caption, rows.slice(0, SHOWN_TASKS), several)}${later(`Show all ${rows.length} tasks, not only the worst ${SHOWN_TASKS}`, rest, id)}`;
}

/** By what fell most, else by the lowest rate; of what nothing is known comes last. */
function worstFirst(tasks: readonly TaskResult[], compared: Compared): readonly TaskResult[] {
  const changed = ({ taskId }: TaskResult): number => {
    const change = compared?.tasks.get(taskId);
    return (change === undefined ? null : rateChange(change)) ?? Number.POSITIVE_INFINITY;
  };
  const rate = ({ successRate }: TaskResult): number => successRate.rate ?? Number.POSITIVE_INFINITY;
  return tasks.toSorted(
    (left, right) =>
      order(changed(left), changed(right)) || order(rate(left), rate(right)) || left.taskId - right.taskId,
  );
}

/** As a difference would, which two endless numbers do not have. */
function order(left: number, right: number): number {
  return left === right ? 0 : left < right ? -1 : 1;
}

interface Column {
  /** Empty: the level of the interval. */
  readonly title: string;
  readonly sort: 'number' | 'text' | null;
  readonly kind: string;
  /** Whether there is anything to show; a column of dashes is none. */
  readonly isDrawn: (arm: ArmResult, compared: Compared) => boolean;
  readonly cell: (task: TaskResult, change: TaskChange | null) => Html;
}

const always = (): boolean => true;
const isCompared = (_: ArmResult, compared: Compared): boolean => compared !== null;
const number = (text: string | number): Html => html`<td class="n">${text}</td>`;
const lostOf = ({ planned, valid, unneeded }: TaskResult): number => planned - valid - unneeded;

const COLUMNS: readonly Column[] = [
  { title: 'Task', sort: 'number', kind: 'n', isDrawn: always, cell: ({ taskId }) => number(taskId) },
  {
    title: 'Instruction',
    sort: 'text',
    kind: '',
    isDrawn: ({ tasks }) => tasks.some(({ language }) => language !== ''),
    cell: ({ language }) => html`<th scope="row" class="words">${foreign(language)}</th>`,
  },
  {
    title: 'Success rate',
    sort: 'number',
    kind: 'n',
    isDrawn: always,
    cell: (task) => html`<td class="n strong">${rateText(task.successRate, task)}</td>`,
  },
  {
    title: 'Change',
    sort: 'number',
    kind: 'n',
    isDrawn: isCompared,
    cell: (_, change) => changeCell(change),
  },
  {
    title: '0 – 100 %',
    sort: null,
    kind: 'bar',
    isDrawn: always,
    cell: ({ successRate }, change) =>
      html`<td class="bar">${trusted(rateBar(successRate, rateBefore(change)))}</td>`,
  },
  {
    title: '',
    sort: 'number',
    kind: 'n',
    isDrawn: always,
    cell: (task) => number(intervalText(task.successRate)),
  },
  {
    title: 'Baseline',
    sort: 'number',
    kind: 'n',
    isDrawn: isCompared,
    cell: (_, change) => number(beforeText(change)),
  },
  {
    title: 'Regressed / fixed',
    sort: 'number',
    kind: 'n',
    isDrawn: isCompared,
    cell: (_, change) =>
      change === null
        ? number(UNKNOWN)
        : html`<td class="n${change.regressed > 0 ? ' worse' : ''}">${change.regressed} / ${change.fixed}</td>`,
  },
  {
    title: 'Steps to success',
    sort: 'number',
    kind: 'n',
    isDrawn: ({ tasks }) => tasks.some(({ stepsSuccessful }) => stepsSuccessful.median !== null),
    cell: ({ stepsSuccessful }) => number(stepsText(stepsSuccessful)),
  },
  {
    title: 'Return',
    sort: 'number',
    kind: 'n',
    isDrawn: ({ tasks }) => tasks.some(({ episodeReturn }) => episodeReturn.mean !== null),
    cell: ({ episodeReturn }) => number(numberText(episodeReturn.mean, 2)),
  },
  {
    title: 'Not counted',
    sort: 'number',
    kind: 'n',
    isDrawn: ({ tasks }) => tasks.some((task) => lostOf(task) > 0),
    cell: (task) => html`<td class="n${lostOf(task) > 0 ? ' some' : ''}">${lostOf(task)}</td>`,
  },
];

/** On the cells that both sides have, so that a lost episode is no change. */
function changeCell(change: TaskChange | null): Html {
  const difference = change === null ? null : rateChange(change);
  if (difference === null) return number(UNKNOWN);
  // The key sorts: no browser reads a true minus sign as one.
  return html`<td class="n${difference < 0 ? ' worse' : ''}" data-key="${difference * 100}">${points(difference) ?? UNKNOWN}</td>`;
}

function rateBefore(change: TaskChange | null): number | null {
  return change === null || change.valid === 0 ? null : change.successes / change.valid;
}

function beforeText(change: TaskChange | null): string {
  const percent = change === null ? null : percentOf(change.successes, change.valid);
  return percent === null || change === null ? UNKNOWN : `${percent}% (${change.successes}/${change.valid})`;
}
