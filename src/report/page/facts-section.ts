import { ROUNDING_RULE } from '../text/format.ts';
import type { ArmView, ReportView } from '../view/report-view.ts';
import { foreign, type Html, html } from './html.ts';
import { later } from './later.ts';
import { factList, knownFacts, scrollBox } from './table-parts.ts';

/** Codes with counts and messages, and what failures have in common. */
export function failureSection({ failures, nameless }: ReportView): Html {
  const { codes, atStepLimit } = failures;
  const rows = codes.map(
    ({ arm, code, episodes, sessions, message }) =>
      html`<tr><th scope="row"><code>${code}</code></th><td>${arm}</td><td class="n">${episodes}</td><td class="n">${sessions}</td><td class="detail">${message === '' ? null : foreign(message)}</td></tr>`,
  );
  const table = html`<table data-sortable><caption class="hidden">Error codes</caption><thead><tr><th scope="col" data-sort="text">Code</th><th scope="col" data-sort="text">Arm</th><th scope="col" data-sort="number" class="n">Episodes</th><th scope="col" data-sort="number" class="n">Sessions</th><th scope="col" data-sort="text">Most frequent message</th></tr></thead><tbody>${rows}</tbody></table>`;
  return html`<section id="failures" aria-labelledby="failures-title">
<h2 id="failures-title">Failure analysis</h2>
${atStepLimit === null ? null : html`<p>${atStepLimit}</p>`}
${codes.length === 0 ? html`<p class="aside">No error codes.</p>` : shortened(rows.length, scrollBox('Error codes', table))}
${namelessTable(nameless)}
</section>`;
}

/** A long table comes when it is asked for. */
function shortened(rows: number, table: Html): Html {
  return rows > MANY_ROWS ? later(`Show ${rows} rows`, table) : table;
}

const MANY_ROWS = 15;

function namelessTable({ rows, omitted }: ReportView['nameless']): Html | null {
  if (rows.length === 0) return null;
  const body = rows.map(
    ({ sessionId, outcome, code, detail }) =>
      html`<tr><th scope="row"><code>${sessionId}</code></th><td>${outcome}</td><td>${code === '' ? null : html`<code>${code}</code>`}</td><td class="detail">${foreign(detail)}</td></tr>`,
  );
  const table = html`<table data-sortable><caption class="named">Sessions whose episode nothing tells; each counts as one that was lost</caption><thead><tr><th scope="col" data-sort="text">Session</th><th scope="col" data-sort="text">Outcome</th><th scope="col" data-sort="text">Code</th><th scope="col" data-sort="text">Detail</th></tr></thead><tbody>${body}</tbody></table>`;
  return html`${shortened(rows.length, scrollBox('Sessions of unknown episode', table))}${omitted === 0 ? null : html`<p class="aside">${omitted} more are in sessions.md.</p>`}`;
}

/** What the comparison with a baseline gave; nothing without one. */
export function comparisonSection({ comparison }: ReportView): Html | null {
  if (comparison.length === 0) return null;
  return html`<section id="comparison" aria-labelledby="comparison-title">
<details class="fold"><summary><h2 id="comparison-title">Comparison in figures</h2></summary>
${factList(comparison)}
</details>
</section>`;
}

/** Metrics of each arm and the counts of every outcome. */
export function metricSection(view: ReportView): Html {
  return html`<section id="metrics" aria-labelledby="metrics-title">
<details class="fold"><summary><h2 id="metrics-title">Metrics</h2></summary>
${view.arms.map((arm) => scrollBox(`Metrics, ${arm.arm}`, metricTable(arm, view.arms.length > 1)))}
${contendedNote(view)}
${scrollBox('Outcomes', outcomeTable(view))}
<p class="aside">The success rate is successes over valid episodes (success and failure${view.timeoutsAreFailures ? ', and timed out' : ''}). ${ROUNDING_RULE}</p>
</details>
</section>`;
}

/** Below everything that shows durations or latencies. */
function contendedNote({ contended }: ReportView): Html | null {
  return contended === null ? null : html`<p class="aside">${foreign(contended)}</p>`;
}

function metricTable({ arm, metrics }: ArmView, several: boolean): Html {
  const rows = metrics.map(
    ({ metric, mean, median, n, missing }) =>
      html`<tr><th scope="row">${metric}</th><td class="n">${mean}</td><td class="n">${median}</td><td class="n">${n}</td><td class="n">${missing}</td></tr>`,
  );
  return html`<table><caption class="${several ? 'named' : 'hidden'}">Metrics, ${arm}</caption><thead><tr><th scope="col">Metric</th><th scope="col" class="n">Mean</th><th scope="col" class="n">Median (95 %)</th><th scope="col" class="n">Episodes</th><th scope="col" class="n">Missing</th></tr></thead><tbody>${rows}</tbody></table>`;
}

function outcomeTable({ aggregate }: ReportView): Html {
  const titles = [
    'Planned',
    'Recorded',
    'Valid',
    'Success',
    'Failure',
    'Timed out',
    'Error',
    'Rejected',
    'Cancelled',
    'Lost or unclear',
    'Not run',
  ];
  const rows = aggregate.map((row) => {
    const { planned, recorded, valid, succeeded, failed, timedOut, errors, rejected, cancelled } = row;
    const cells = [
      planned,
      recorded,
      valid,
      succeeded,
      failed,
      timedOut,
      errors,
      rejected,
      cancelled,
      row.other,
      row.notRun,
    ];
    return { arm: row.arm, cells };
  });
  // What never happened in any arm is no column; the first three are what the others are counted of.
  const drawn = titles.map((_, at) => at < 3 || rows.some(({ cells }) => (cells[at] ?? 0) > 0));
  const heads = titles
    .filter((_, at) => drawn[at])
    .map((title) => html`<th scope="col" class="n">${title}</th>`);
  const lines = rows.map(
    ({ arm, cells }) =>
      html`<tr><th scope="row">${arm}</th>${cells.filter((_, at) => drawn[at]).map((count) => html`<td class="n">${count}</td>`)}</tr>`,
  );
  return html`<table><caption class="named">Outcomes</caption><thead><tr><th scope="col">Arm</th>${heads}</tr></thead><tbody>${lines}</tbody></table>`;
}

/** What this run could not have seen. */
export function limitSection({ limits }: ReportView): Html {
  return html`<section id="limits" aria-labelledby="limits-title">
<h2 id="limits-title">What this run could not have seen</h2>
<ul class="prose">${limits.map((text) => html`<li>${foreign(text)}</li>`)}</ul>
</section>`;
}

/** Where the time went. */
export function timeSection(view: ReportView): Html {
  return html`<section id="time" aria-labelledby="time-title">
<h2 id="time-title">Time</h2>
${knownFacts(view.time)}${contendedNote(view)}
</section>`;
}

/** Setup, configuration, and what somebody needs to run it again: read seldom, so folded. */
export function setupSection(view: ReportView): Html {
  return html`<section id="setup" aria-labelledby="setup-title">
<details class="fold"><summary><h2 id="setup-title">Setup</h2></summary>
<div class="columns">
<div><h3>Experiment</h3>${knownFacts(view.setup)}</div>
<div><h3>Policy and runtime</h3>${knownFacts(view.configuration)}</div>
<div><h3 id="reproduce">Reproducibility</h3>${knownFacts(view.reproducibility)}</div>
</div>
</details>
</section>`;
}
