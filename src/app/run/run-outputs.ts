import * as path from 'node:path';
import { BUNDLE_FILES } from '../../bundle/layout.ts';
import type { OutputName } from '../../inputs/outputs.ts';
import type { ArmResult } from '../../results/results.ts';
import { wilson } from '../../stats/wilson.ts';
import { overallVerdict } from '../../verdict/overall.ts';
import type { SuiteRun } from './run-suite.ts';

const LEVEL = 0.95;

/** Outcomes that say something about the host and nothing about the policy. */
const HOST_OUTCOMES = ['error', 'rejected', 'cancelled', 'lost', 'missing', 'mismatch', 'conflict'] as const;

/** Outputs of the action for the suites of a run. Unknown is the empty string, never 0. Pure. */
export function runOutputs(
  runs: readonly SuiteRun[],
  artifactIds: readonly number[],
): Readonly<Record<OutputName, string>> {
  const candidates = runs.flatMap(({ sealed }) =>
    sealed.results.arms.filter(({ arm }) => arm === 'candidate'),
  );
  const successes = sum(candidates.map(({ successRate }) => successRate.k));
  const valid = sum(candidates.map(({ successRate }) => successRate.n));
  const interval = wilson(successes, valid, LEVEL);
  const listed = (of: (run: SuiteRun) => string): string => runs.map(of).join(',');
  return {
    verdict: overallVerdict(runs.map(({ sealed }) => sealed.decision)) ?? '',
    reasons: JSON.stringify(runs.flatMap(({ sealed }) => sealed.decision.reasons)),
    'success-rate': valid === 0 ? '' : String(successes / valid),
    'success-rate-low': text(interval?.low),
    'success-rate-high': text(interval?.high),
    successes: runs.length === 0 ? '' : String(successes),
    valid: runs.length === 0 ? '' : String(valid),
    planned: runs.length === 0 ? '' : String(sum(candidates.map(({ planned }) => planned))),
    errors: runs.length === 0 ? '' : String(sum(candidates.map(hostErrors))),
    'failed-tasks': JSON.stringify(runs.flatMap(failedTasks)),
    'run-id': listed(({ runId }) => runId),
    attempt: listed(({ attempt }) => String(attempt)),
    'plan-digest': listed(({ planDigest }) => planDigest),
    'bundle-path': listed(({ bundleDir }) => bundleDir),
    'bundle-sha256': listed(({ sealed }) => sealed.manifestSha256 ?? ''),
    'artifact-id': artifactIds.join(','),
    'report-path': listed(({ sealed }) => sealed.reportPath),
    'results-path': listed(({ bundleDir }) => path.join(bundleDir, BUNDLE_FILES.results)),
  };
}

function hostErrors(arm: ArmResult): number {
  return sum(HOST_OUTCOMES.map((outcome) => arm.outcomes[outcome] ?? 0));
}

function failedTasks({ suite, sealed }: SuiteRun): { suite: string; taskId: number; failures: number }[] {
  const tasks = sealed.results.arms.find(({ arm }) => arm === 'candidate')?.tasks ?? [];
  return tasks
    .map(({ taskId, successRate }) => ({ suite, taskId, failures: successRate.n - successRate.k }))
    .filter(({ failures }) => failures > 0);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}

function text(value: number | undefined): string {
  return value === undefined ? '' : String(value);
}
