import type { ArmResult, TaskResult } from '../../model/results.ts';
import { percentOf } from '../../stats/rounding.ts';
import { rateBar } from '../charts/mini.ts';
import { intervalText, numberText, rateText, stepsText, UNKNOWN } from '../text/format.ts';
import type { ReportInput } from '../view/report-input.ts';
import type { CellComparison, TaskChange } from './comparison.ts';
import { foreign, type Html, html, trusted } from './html.ts';
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

function taskTable(arm: ArmResult, compared: CellComparison | null, results: ReportInput['results']): Html {
  const several = results.arms.length > 1;
  const caption = several ? `Tasks, ${arm.arm}` : 'Tasks';
  const baseline =
    compared === null
      ? null
      : html`<th scope="col" data-sort="number" class="n">Baseline</th><th scope="col" data-sort="number" class="n">Regressed</th><th scope="col" data-sort="number" class="n">Fixed</th>`;
  const table = html`<table class="tasks${compared === null ? null : ' compared'}" data-sortable>
<caption class="${several ? 'named' : 'hidden'}">${caption}</caption>
<thead><tr><th scope="col" data-sort="number" class="n">Task</th><th scope="col" data-sort="text">Instruction</th><th scope="col" data-sort="number" class="n">Success rate</th><th scope="col" class="bar">0 – 100 %</th><th scope="col" data-sort="number" class="n">${levelText(results.level)}</th>${baseline}<th scope="col" data-sort="number" class="n">Steps to success</th><th scope="col" data-sort="number" class="n">Return</th><th scope="col" data-sort="number" class="n">Not counted</th></tr></thead>
<tbody>
${arm.tasks.map((task) => taskRow(task, compared === null ? null : (compared.tasks.get(task.taskId) ?? null), compared !== null))}</tbody>
</table>`;
  return scrollBox(caption, table);
}

function taskRow(task: TaskResult, change: TaskChange | null, comparing: boolean): Html {
  const before = change === null || change.valid === 0 ? null : change.successes / change.valid;
  const cells = comparing ? changeCells(change) : null;
  const lost = task.planned - task.valid - task.unneeded;
  return html`<tr><td class="n">${task.taskId}</td><th scope="row" class="words">${foreign(task.language)}</th><td class="n strong">${rateText(task.successRate, task)}</td><td class="bar">${trusted(rateBar(task.successRate, before))}</td><td class="n">${intervalText(task.successRate)}</td>${cells}<td class="n">${stepsText(task.stepsSuccessful)}</td><td class="n">${numberText(task.episodeReturn.mean, 2)}</td><td class="n${lost > 0 ? ' some' : ''}">${lost}</td></tr>
`;
}

function changeCells(change: TaskChange | null): Html {
  if (change === null)
    return html`<td class="n">${UNKNOWN}</td><td class="n">${UNKNOWN}</td><td class="n">${UNKNOWN}</td>`;
  const percent = percentOf(change.successes, change.valid);
  const rate = percent === null ? UNKNOWN : `${percent}% (${change.successes}/${change.valid})`;
  return html`<td class="n">${rate}</td><td class="n${change.regressed > 0 ? ' worse' : ''}">${change.regressed}</td><td class="n">${change.fixed}</td>`;
}
