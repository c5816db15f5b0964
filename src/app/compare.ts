import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { stableJson } from '../base/stable-json.ts';
import { EXIT, type ExitCode } from '../errors/rb-error.ts';
import { importOptions } from '../job/imports/import-options.ts';
import { screenFiles, screenOf } from '../job/publish/screen-publication.ts';
import { writeReport } from '../job/publish/write-report.ts';
import { loadResults } from '../job/runs/load-results.ts';
import type { VerbContext } from '../job/verb.ts';
import { comparisonTerminal } from '../report/policies/tables.ts';
import { compareSuites } from './compare/compare-suites.ts';
import { comparisonFiles } from './compare/comparison-files.ts';
import { policyMeasurements } from './compare/policy-measurements.ts';

/**
 * `compare`: verified bundles of several policies on the same cells, as a table with letters. It decides nothing, so it
 * exits with 0, or as the refusals say.
 */
export async function compare(verb: VerbContext): Promise<ExitCode> {
  const scratch = await mkdtemp(path.join(tmpdir(), 'rollout-bench-compare-'));
  try {
    const bundles = await loadResults(verb.args, scratch, importOptions(verb, undefined, null));
    const comparison = compareSuites(policyMeasurements(bundles));
    const { reportDir } = verb.inputs;
    const files = comparisonFiles(comparison);
    screenFiles(files, screenOf(verb));
    if (reportDir !== null) await writeReport(reportDir, files);
    verb.stdout(verb.json ? stableJson(comparison) : comparisonTerminal(comparison));
    if (reportDir !== null && !verb.json) verb.stdout(`Comparison: ${reportDir}\n`);
    return EXIT.ok;
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}
