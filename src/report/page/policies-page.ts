import { CHART_STYLE } from '../charts/chart-style.ts';
import { policyDotsSvg } from '../charts/policy-dots.ts';
import type { Comparison, ComparisonOfSuites } from '../policies/document.ts';
import { PAIR_HEADS, POLICY_HEADS, pairRows, policyRows } from '../policies/tables.ts';
import { cellsText, LETTERS_RULE, leadText, leftOutText, methodText } from '../policies/words.ts';
import { foreign, type Html, html, trusted } from './html.ts';
import { REPORT_STYLE } from './page-assets.ts';
import { htmlPage } from './page-shell.ts';
import { scrollBox } from './table-parts.ts';

const TINT = '#1f5fa5';

/** A plot that is made smaller than it is cannot be read; on a small screen it scrolls. */
const PLOT_STYLE = '.plot .rb-chart{max-width:none}.scroll+h3{margin-top:1.2rem}';

/** The comparison as one file that asks nothing of any network and needs no script. Equal input gives equal bytes. */
export function policiesPage(comparison: ComparisonOfSuites): string {
  const { suite, policies, suites = [] } = comparison;
  const body = html`<a class="skip" href="#main">Skip to the table</a>
<header class="top"><div class="wrap">
<p class="kind">Policies compared</p>
<h1>${foreign(suite)}</h1>
<p class="about">${policies.length} policies on the same ${comparison.cells} cells</p>
</div></header>
<main id="main" class="wrap">${policiesSection(comparison)}${suites.map(suiteSection)}</main>`;
  return staticPage({
    title: `${policies.length} policies on ${suite}`,
    description: leadText(comparison),
    body,
  });
}

function suiteSection(table: Comparison): Html {
  return html`<section><h2>${foreign(table.suite)}</h2>${policiesSection(table)}</section>`;
}

/** A page without script. */
export function staticPage(page: { title: string; description: string; body: Html }): string {
  return htmlPage({ ...page, tint: TINT, style: REPORT_STYLE + CHART_STYLE + PLOT_STYLE, script: null }).text;
}

/** What a comparison says, for a page of its own or for one among several boards. */
export function policiesSection(comparison: ComparisonOfSuites): Html {
  const left = leftOutText(comparison);
  return html`<section>
<p><b>${leadText(comparison)}</b> ${LETTERS_RULE}</p>
<p class="aside">${methodText(comparison)} ${cellsText(comparison)}</p>
${scrollBox('Success rates', html`<div class="plot">${trusted(policyDotsSvg(comparison, 'inline'))}</div>`)}
${table('Policies, best first', POLICY_HEADS, policyRows(comparison))}
${comparison.pairs.length === 0 ? null : table('Pairs: the first less the second', PAIR_HEADS, pairRows(comparison))}
${left === null ? null : html`<p class="aside">${left}</p>`}
${notesList(comparison)}
</section>`;
}

function notesList({ notes }: Comparison): Html | null {
  if (notes.length === 0) return null;
  return html`<h3>Notes</h3><ul class="prose">${notes.map(({ text }) => html`<li>${text}</li>`)}</ul>`;
}

function table(caption: string, heads: readonly string[], rows: readonly (readonly string[])[]): Html {
  const content = html`<table>
<caption class="named">${caption}</caption>
<thead><tr>${heads.map((head) => html`<th scope="col">${head}</th>`)}</tr></thead>
<tbody>
${rows.map(
  ([
    name = '',
    ...cells
  ]) => html`<tr><th scope="row">${foreign(name)}</th>${cells.map((cell) => html`<td>${cell}</td>`)}</tr>
`,
)}</tbody>
</table>`;
  return scrollBox(caption, content);
}
