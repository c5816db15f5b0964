import { mkdir } from 'node:fs/promises';
import * as path from 'node:path';
import { stableJson } from '../../base/stable-json.ts';
import { DECIDED } from '../../bundle/layout.ts';
import { renderFiles } from '../../bundle/render-files.ts';
import { resolveInside } from '../../files/atomic-file.ts';
import { encodeSegment } from '../../history/branch-segment.ts';
import { VERSION } from '../../platform/version.ts';
import type { PageContext } from '../../report/page/comparison.ts';
import type { AverageOfSuites } from '../../verdict/several-suites.ts';
import { putFile } from '../../workspace/put-file.ts';
import { type AssessedSuite, renderingOf } from '../judge/assess-suite.ts';
import { averageOf, verdictOf } from '../judge/judge-together.ts';
import { makeReportFolder } from '../report-folder.ts';
import type { FilmsBySuite } from './report-films.ts';

const REPORT_SCHEMA_ID = 'rollout-bench/report/1';

/** A rendered file of the report folder. */
export interface ReportFile {
  /** Relative to the folder, with `/`. */
  readonly path: string;
  readonly content: string;
}

/** report.json: what was decided, by which rules and from which evidence. Pure. */
export function reportJson(
  suites: readonly AssessedSuite[],
  source: Readonly<Record<string, unknown>>,
): string {
  const average = averageOf(suites);
  return stableJson({
    schema: REPORT_SCHEMA_ID,
    tool: { version: VERSION },
    verdict: verdictOf(suites),
    ...(average === null ? {} : { average: averageJson(average) }),
    source,
    suites: suites.map(({ measurement, decision, assessment, comparison }) => ({
      suite: measurement.plan.suite,
      verdict: decision.verdict,
      reasons: decision.reasons,
      warnings: decision.warnings,
      thresholds: measurement.plan.thresholds,
      planDigest: measurement.planDigest,
      bundles: measurement.parts.map((part) => ({
        runId: part.run.runId,
        attempt: part.run.attempt,
        shard: part.run.shard,
        manifestSha256: part.manifestSha256,
      })),
      comparison: comparison === null ? null : comparison.rows.map(({ label, value }) => ({ label, value })),
      earlyStop: assessment.stop,
      ...(measurement.heldOut == null ? {} : { heldOut: measurement.heldOut }),
    })),
  });
}

function averageJson({ decision, ...average }: AverageOfSuites): object {
  const { verdict, reasons, warnings } = decision;
  return { verdict, reasons, warnings, ...average };
}

/** Every rendered file of a report: one folder per suite, and report.json. Pure. */
export function reportFiles(
  suites: readonly AssessedSuite[],
  source: Readonly<Record<string, unknown>>,
  template: string | null,
  films: FilmsBySuite = new Map(),
): ReportFile[] {
  const rendered = suites.flatMap((suite) =>
    [...renderFiles(renderingOf(suite, 'published', null), template, pageContextOf(suite, films))].map(
      ({ name, parts }) => ({
        path: `${encodeSegment(suite.measurement.plan.suite)}/${name}`,
        content: [...parts()].join(''),
      }),
    ),
  );
  return [...rendered, { path: 'report.json', content: reportJson(suites, source) }];
}

/** The episodes of the baseline, so that the page can mark what changed cell by cell, and what there is to see. */
function pageContextOf(
  { measurement, comparison, baselineRecords }: AssessedSuite,
  films: FilmsBySuite,
): PageContext {
  const own = films.get(measurement.plan.suite) ?? [];
  return { comparison, baseline: baselineRecords, links: [], films: own };
}

/** Where the decided report of a sealed attempt is: beside its folder, since a bundle is never written to again. */
export function decidedFolder(bundleDir: string): string {
  return `${bundleDir}${DECIDED}`;
}

/**
 * Writes the decided report of one suite beside its bundle: its own files, and report.json.
 * @throws RbError RB213 when a link is in that place.
 */
export async function writeDecided(
  bundleDir: string,
  suite: string,
  files: readonly ReportFile[],
): Promise<void> {
  const prefix = `${encodeSegment(suite)}/`;
  const own = files.flatMap((file) => {
    if (file.path === 'report.json') return [file];
    return file.path.startsWith(prefix) ? [{ ...file, path: file.path.slice(prefix.length) }] : [];
  });
  const folder = decidedFolder(bundleDir);
  await writeReport(await resolveInside(path.dirname(folder), path.basename(folder)), own);
}

/**
 * Writes the files below a folder, which the user may have linked; below it no link is followed.
 * @throws RbError RB213 for a link in the place of a folder of ours.
 */
export async function writeReport(folder: string, files: readonly ReportFile[]): Promise<void> {
  await makeReportFolder(folder);
  for (const file of files) {
    const inside = await resolveInside(folder, path.dirname(file.path));
    await mkdir(inside, { recursive: true });
    await putFile(path.join(inside, path.basename(file.path)), file.content);
  }
}
