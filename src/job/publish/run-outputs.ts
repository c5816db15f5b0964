import * as path from 'node:path';
import { BUNDLE_FILES } from '../../bundle/layout.ts';
import type { OutputName } from '../../inputs/outputs.ts';
import type { SuiteRun } from '../measure/suite-run.ts';

/** Where a run left its files, as outputs; several suites are separated by commas. Pure. */
export function placeOutputs(
  runs: readonly SuiteRun[],
  artifactIds: readonly number[],
): Readonly<Partial<Record<OutputName, string>>> {
  const listed = (of: (run: SuiteRun) => string): string => runs.map(of).join(',');
  return {
    'bundle-path': listed(({ bundleDir }) => bundleDir),
    'artifact-id': artifactIds.join(','),
    'report-path': listed(({ sealed }) => sealed.reportPath),
    'results-path': listed(({ bundleDir }) => path.join(bundleDir, BUNDLE_FILES.results)),
  };
}
