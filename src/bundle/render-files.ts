import type { EpisodeRecord } from '../outcome/episode-record.ts';
import { taskBarsOf, taskBarsSvg } from '../report/charts/task-bars.ts';
import { episodesCsv } from '../report/csv.ts';
import { junitXml } from '../report/junit.ts';
import { renderMarkdown } from '../report/markdown.ts';
import { baselineRates, compareCells, NO_CONTEXT, type PageContext } from '../report/page/comparison.ts';
import { reportPage } from '../report/page/report-page.ts';
import { type ReportInput, reportView, TASK_CHART } from '../report/view.ts';
import { stableJson, stableLine } from '../results/results-text.ts';
import { BUNDLE_FILES, reportFileName } from './layout.ts';

/** A file to be written into a bundle. */
export interface RenderedFile {
  readonly name: string;
  readonly content: string;
}

/**
 * Everything of a bundle that is made from records and results, one file after the other: of 10,000 episodes each takes
 * megabytes, and nobody needs two at a time. Pure; equal input gives equal bytes.
 * @param context what the page shows beyond the run: a baseline's episodes, links
 */
export function* renderFiles(
  input: ReportInput,
  template: string | null,
  context: PageContext = NO_CONTEXT,
): Generator<RenderedFile> {
  const { results, records } = input;
  yield { name: BUNDLE_FILES.results, content: stableJson(results) };
  yield { name: BUNDLE_FILES.episodes, content: episodesJsonl(records) };
  yield { name: BUNDLE_FILES.csv, content: episodesCsv(records) };
  yield { name: BUNDLE_FILES.junit, content: junitXml(records, results.suite) };
  yield {
    name: reportFileName(results.suite, results.run.runId),
    content: renderMarkdown(reportView(input), template),
  };
  yield { name: BUNDLE_FILES.page, content: reportPage(input, context) };
  yield { name: TASK_CHART, content: taskChart(input, context) };
}

function taskChart(input: ReportInput, context: PageContext): string {
  const { results } = input;
  const arm = results.arms.find((each) => each.arm === 'candidate') ?? results.arms[0];
  if (arm === undefined)
    return taskBarsSvg({ title: results.suite, level: results.level, total: null, bars: [] });
  return taskBarsSvg(taskBarsOf(results, arm, baselineRates(compareCells(input, context))));
}

/** episodes.jsonl: one record a line, in planned order, keys sorted. */
export function episodesJsonl(records: readonly EpisodeRecord[]): string {
  return [...records]
    .sort((left, right) => left.position - right.position)
    .map(stableLine)
    .join('');
}
