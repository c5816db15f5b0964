import type { EpisodeRecord } from '../outcome/episode-record.ts';
import { episodesCsv } from '../report/csv.ts';
import { junitXml } from '../report/junit.ts';
import { renderMarkdown } from '../report/markdown.ts';
import { type ReportInput, reportView } from '../report/view.ts';
import { stableJson, stableLine } from '../results/results-text.ts';
import { BUNDLE_FILES, reportFileName } from './layout.ts';

/** A file to be written into a bundle. */
export interface RenderedFile {
  readonly name: string;
  readonly content: string;
}

/** Everything of a bundle that is made from records and results. Pure; equal input gives equal bytes. */
export function renderFiles(input: ReportInput, template: string | null): readonly RenderedFile[] {
  const { results, records } = input;
  return [
    { name: BUNDLE_FILES.results, content: stableJson(results) },
    { name: BUNDLE_FILES.episodes, content: episodesJsonl(records) },
    { name: BUNDLE_FILES.csv, content: episodesCsv(records) },
    { name: BUNDLE_FILES.junit, content: junitXml(records, results.suite) },
    {
      name: reportFileName(results.suite, results.run.runId),
      content: renderMarkdown(reportView(input), template),
    },
  ];
}

/** episodes.jsonl: one record a line, in planned order, keys sorted. */
export function episodesJsonl(records: readonly EpisodeRecord[]): string {
  return [...records]
    .sort((left, right) => left.position - right.position)
    .map(stableLine)
    .join('');
}
