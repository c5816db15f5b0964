import { CHART_STYLE } from '../charts/chart-style.ts';
import type { ReportInput } from '../view/report-input.ts';
import { type ReportView, reportView } from '../view/report-view.ts';
import { episodeAnchor } from './anchor.ts';
import { caseSection } from './case-section.ts';
import { compareCells, NO_CONTEXT, type PageContext } from './comparison.ts';
import { episodeData } from './episode-data.ts';
import { episodeSection } from './episode-section.ts';
import {
  comparisonSection,
  failureSection,
  limitSection,
  metricSection,
  setupSection,
  timeSection,
} from './facts-section.ts';
import { gridSection } from './grid-section.ts';
import { foreign, type Html, html } from './html.ts';
import { inOrder, notableEpisodes } from './notable.ts';
import { REPORT_SCRIPT, REPORT_STYLE } from './page-assets.ts';
import { htmlPage } from './page-shell.ts';
import { taskSection } from './task-section.ts';
import { timeText } from './time-text.ts';
import { linkRow, VERDICT_TINTS, verdictSection, warningSection } from './verdict-section.ts';

const SECTIONS = [
  ['tasks', 'Tasks'],
  ['grid', 'Every episode'],
  ['episodes', 'Episodes'],
  ['failures', 'Failures'],
  ['metrics', 'Metrics'],
  ['time', 'Time'],
  ['limits', 'Limits'],
  ['setup', 'Setup'],
] as const;

/**
 * report.html: one run as a page of its own. It asks nothing of any network, tells the essentials without scripts,
 * and equal input gives equal bytes.
 * @param around what was compared and where else to look; a sealed run knows nothing of either
 */
export function reportPage(input: ReportInput, around: PageContext = NO_CONTEXT): string {
  return reportPageParts(input, around).join('');
}

/** The same in parts. */
export function reportPageParts(input: ReportInput, around: PageContext = NO_CONTEXT): readonly string[] {
  const context = {
    ...around,
    comparison: around.comparison ?? input.comparison ?? null,
    links: [...around.links, ...(input.page?.links ?? [])],
    accepted: around.accepted ?? input.page?.accepted ?? false,
  };
  const view = reportView(input);
  const { verdict } = input.decision;
  const compared = compareCells(input, context);
  const notable = notableEpisodes(input.records, compared);
  const ordered = inOrder(input.records);
  const data = episodeData(input, compared, ordered);
  const anchors = new Set(notable.first.map(episodeAnchor));
  const places = new Map(ordered.map((record, place) => [record, place]));
  const body = html`${beforeDecision(input)}<a class="skip" href="#main">Skip to the results</a>
${head(input, view, context)}
<main id="main" class="wrap">
${verdictSection(input, view, { context, compared })}
${taskSection(input, compared)}
${warningSection(view.warnings)}
${caseSection({ input, context, compared }, notable.first)}
${gridSection(input, {
  compared,
  listed: (record) => anchors.has(episodeAnchor(record)),
  placeOf: (record) => places.get(record) ?? -1,
})}
${episodeSection(input, { context, compared, notable, data })}
${comparisonSection(view)}
${failureSection(view)}
${metricSection(view)}
${timeSection(view)}
${limitSection(view)}
${setupSection(view)}
</main>
<footer class="wrap"><p>Rollout Bench ${input.results.run.tool.version} · run ${foreign(view.runId)}</p></footer>
<div id="facts" role="tooltip" hidden></div>`;
  return htmlPage({
    title: `${input.provisional ? 'Before the decision: ' : ''}${verdict} · ${view.title}`,
    description: `Benchmark report of ${view.title}: ${verdict}.`,
    tint: VERDICT_TINTS[verdict],
    style: REPORT_STYLE + CHART_STYLE,
    script: REPORT_SCRIPT,
    body,
  }).pieces;
}

/** The page of a sealed bundle never changes again, so its first line must say what it cannot know. */
function beforeDecision({ provisional }: ReportInput): Html | null {
  if (!provisional) return null;
  return html`<p class="before" role="note"><b>Before the decision.</b> This page was sealed with the evidence, before it was compared with a baseline from elsewhere. The verdict is on the page that the run wrote beside this bundle’s folder, or that <code>rollout-bench report</code> makes.</p>
`;
}

function head({ results }: ReportInput, view: ReportView, context: PageContext): Html {
  const { run } = results;
  const started =
    run.startedAt === null
      ? html`${foreign(view.measuredAt)}`
      : html`<time datetime="${run.startedAt}">${timeText(run.startedAt)}</time>`;
  return html`<header class="top"><div class="wrap">
<p class="kind">Benchmark report · ${foreign(results.benchmark)}</p>
<h1>${foreign(results.suite)}</h1>
<p class="about">${foreign(results.skillruntime)} on ${foreign(run.target.id)}${html` <span class="dot">·</span> ${started}`} <span class="dot">·</span> run <code>${run.runId}</code>${run.attempt === 1 ? null : html`, attempt ${run.attempt}`}</p>
${linkRow(context)}
</div>
<nav aria-label="Sections"><ul class="wrap">${SECTIONS.map(([id, label]) => html`<li><a href="#${id}">${label}</a></li>`)}</ul></nav>
</header>`;
}
