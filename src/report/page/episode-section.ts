import type { EpisodeRecord } from '../../model/episode-record.ts';
import { codeOf } from '../../results/error-codes.ts';
import { plainLine } from '../text/escape.ts';
import { numberText } from '../text/format.ts';
import { episodeDetail } from '../view/failures-view.ts';
import type { ReportInput } from '../view/report-input.ts';
import { ANY_CELL, rerunCommand } from '../view/rerun.ts';
import { episodeAnchor } from './anchor.ts';
import type { CellComparison, PageContext } from './comparison.ts';
import { detailLimit, type EpisodeData } from './episode-data.ts';
import { foreign, type Html, html, link } from './html.ts';
import { inOrder, type Notable } from './notable.ts';
import { outcomeLook } from './outcome-look.ts';
import { jsonScript } from './page-shell.ts';
import { scrollBox } from './table-parts.ts';

/** Bytes of details in the list; the data has them longer. */
const LIST_TEXT = 120_000;

interface EpisodeParts {
  readonly context: PageContext;
  readonly compared: CellComparison | null;
  readonly notable: Notable;
  readonly data: EpisodeData;
}

/**
 * All episodes, in pages that a script draws from data: it can filter, search and sort 10,000 of them. Without one, and on
 * paper, what regressed or failed is a list.
 */
export function episodeSection(input: ReportInput, { context, compared, notable, data }: EpisodeParts): Html {
  const { records, results } = input;
  const kept = csvPlace(input, context);
  const left = notable.left === 0 ? '' : ` ${notable.left} more did not succeed either.`;
  const again = rerunCommand(results, ANY_CELL);
  return html`<section id="episodes" aria-labelledby="episodes-title">
<h2 id="episodes-title">Episodes</h2>
<div data-episodes><noscript>
<p class="aside">Listed are the episodes that regressed or did not succeed, ${notable.first.length} of ${records.length}.${left}</p>
${scrollBox('Episodes without success', listTable(input, compared, notable))}
${again === null ? null : html`<p class="aside">To run one again: <code>${again}</code></p>`}
</noscript></div>
<p class="aside">Every episode is a line of ${kept}.</p>
${jsonScript('episode-data', data)}
</section>`;
}

/** A page in its bundle lies beside the file; the page of a report names where it is. */
function csvPlace({ audience, bundleDir }: ReportInput, { links }: PageContext): Html {
  if (audience === 'published' && bundleDir !== null) return html`${link('episodes.csv', 'episodes.csv')}`;
  const artifact = links.find(({ label }) => label === 'Evidence');
  return html`episodes.csv in ${link('the evidence', artifact?.address ?? null)} of this run`;
}

function listTable(
  { records, results }: ReportInput,
  compared: CellComparison | null,
  notable: Notable,
): Html {
  const limit = Math.min(200, detailLimit(notable.first, LIST_TEXT));
  const several = results.arms.length > 1;
  const repeated = records.some(({ runIndex }) => runIndex > 0);
  const heads = [
    number('Task'),
    number('State'),
    repeated ? number('Run') : null,
    several ? text('Arm') : null,
    text('Outcome'),
    compared === null ? null : text('Change'),
    number('Steps'),
    text('Code'),
    text('Detail'),
  ];
  const row = (record: EpisodeRecord): Html => {
    const { glyph, kind, label } = outcomeLook(record.outcome);
    const code = codeOf(record);
    const cells = [
      html`<td class="n">${record.taskId}</td><td class="n">${record.initStateId}</td>`,
      repeated ? html`<td class="n">${record.runIndex}</td>` : null,
      several ? html`<td>${record.arm}</td>` : null,
      html`<td class="outcome"><span class="c ${kind}" aria-hidden="true">${glyph}</span> ${label}</td>`,
      compared === null ? null : html`<td>${compared.changeOf(record) ?? ''}</td>`,
      html`<td class="n">${numberText(record.steps, 0)}</td><td>${code === null ? null : html`<code>${code}</code>`}</td>`,
      html`<td class="detail">${detailCell(record, limit)}</td>`,
    ];
    return html`<tr id="${episodeAnchor(record)}">${cells}</tr>
`;
  };
  return html`<table class="episodes"><caption class="hidden">Episodes without success</caption><thead><tr>${heads}</tr></thead><tbody>
${inOrder(notable.first).map(row)}</tbody></table>`;
}

function detailCell(record: EpisodeRecord, limit: number): Html | null {
  const detail = plainLine(episodeDetail(record), limit);
  return detail === '' ? null : foreign(detail);
}

const number = (title: string): Html => html`<th scope="col" class="n">${title}</th>`;
const text = (title: string): Html => html`<th scope="col">${title}</th>`;
