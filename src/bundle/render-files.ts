import { stableJsonParts, stableLine } from '../base/stable-json.ts';
import type { EpisodeRecord } from '../model/episode-record.ts';
import { taskBarsOf, taskBarsSvg } from '../report/charts/task-bars.ts';
import { episodesCsv } from '../report/csv.ts';
import { modelIndexText } from '../report/exports/model-index.ts';
import { wandbText } from '../report/exports/wandb.ts';
import { junitXml } from '../report/junit.ts';
import { renderMarkdown } from '../report/markdown.ts';
import { baselineRates, compareCells, NO_CONTEXT, type PageContext } from '../report/page/comparison.ts';
import { reportPageParts } from '../report/page/report-page.ts';
import type { ReportInput } from '../report/view/report-input.ts';
import { reportView, TASK_CHART } from '../report/view/report-view.ts';
import { candidateOf } from '../results/candidate.ts';
import { BUNDLE_FILES, reportFileName } from './layout.ts';

/** A file to be written into a bundle. */
interface RenderedFile {
  readonly name: string;
  /** Makes its text, the same one each time. */
  readonly parts: () => Iterable<string>;
}

/**
 * Everything of a bundle that is made from records and results, one file after the other and in parts: of 10,000 episodes
 * each takes megabytes, and nobody needs them at once. Pure; equal input gives equal bytes.
 * @param context what the page shows beyond the run: a baseline's episodes, links
 */
export function* renderFiles(
  input: ReportInput,
  template: string | null,
  context: PageContext = NO_CONTEXT,
): Generator<RenderedFile> {
  const { results, records } = input;
  yield { name: BUNDLE_FILES.results, parts: () => stableJsonParts(results) };
  yield { name: BUNDLE_FILES.episodes, parts: () => episodesJsonl(records) };
  yield { name: BUNDLE_FILES.csv, parts: () => episodesCsv(records) };
  yield { name: BUNDLE_FILES.junit, parts: () => junitXml(records, results.suite) };
  yield {
    name: reportFileName(results.suite, results.run.runId),
    parts: () => [renderMarkdown(reportView(input), template)],
  };
  yield { name: BUNDLE_FILES.page, parts: () => reportPageParts(input, context) };
  yield { name: TASK_CHART, parts: () => [taskChart(input, context)] };
  const { exports = [] } = results.run;
  if (exports.includes('wandb')) yield { name: BUNDLE_FILES.wandb, parts: () => [wandbText(results)] };
  if (exports.includes('hf-model-card'))
    yield { name: BUNDLE_FILES.modelIndex, parts: () => [modelIndexText(results, input.decision.verdict)] };
}

function taskChart(input: ReportInput, context: PageContext): string {
  const { results } = input;
  const arm = candidateOf(results.arms);
  if (arm === undefined)
    return taskBarsSvg({ title: results.suite, level: results.level, total: null, bars: [] });
  return taskBarsSvg(taskBarsOf(results, arm, baselineRates(compareCells(input, context))));
}

/** episodes.jsonl: one record a line, in planned order, keys sorted. One line a part. */
export function* episodesJsonl(records: readonly EpisodeRecord[]): Generator<string> {
  for (const record of records.toSorted((left, right) => left.position - right.position))
    yield stableLine(record);
}
