import * as path from 'node:path';
import { EXIT, type ExitCode, type Problem } from '../errors/rb-error.ts';
import { checkWorkspace, type DoctorOptions, findEndpoints } from './doctor/check-workspace.ts';
import { probeProblems } from './doctor/probes.ts';
import type { VerbContext } from './verb.ts';

/**
 * `doctor`: everything in a workspace that would stop or mislead a benchmark, and whether target and policy answer.
 * Writes nothing. Exit 3 when it would stop.
 */
export async function doctor(verb: VerbContext): Promise<ExitCode> {
  const { inputs } = verb;
  const workspace = path.resolve(inputs.workspace ?? '.');
  const options: DoctorOptions = {
    target: inputs.target,
    skillruntime: inputs.skillruntime,
    suites: inputs.suites,
    policyEndpoint: inputs.policyEndpoint,
    targetEndpoint: inputs.targetEndpoint,
    nowMs: verb.clock.now(),
    searchPath: verb.env['PATH'] ?? '',
  };
  const found = await checkWorkspace(workspace, options);
  const endpoints = await findEndpoints(workspace, options);
  const live = endpoints === null ? [] : await probeProblems(endpoints, verb.signal);
  const problems = fatalFirst([...found, ...live]);
  verb.stdout(
    verb.json ? `${JSON.stringify({ workspace, problems }, null, 2)}\n` : doctorText(workspace, problems),
  );
  return problems.some(({ severity }) => severity === 'fatal') ? EXIT.refused : EXIT.ok;
}

function fatalFirst(problems: readonly Problem[]): Problem[] {
  return problems.toSorted(
    (left, right) => Number(right.severity === 'fatal') - Number(left.severity === 'fatal'),
  );
}

/** The findings in words: place, value, consequence and cure of each. Pure. */
export function doctorText(workspace: string, problems: readonly Problem[]): string {
  const fatal = problems.filter(({ severity }) => severity === 'fatal').length;
  const summary =
    problems.length === 0
      ? 'Nothing was found that would stop or mislead a benchmark.'
      : `${counted(fatal, 'problem')} would stop a benchmark, ${counted(problems.length - fatal, 'problem')} could mislead it or the host's users.`;
  return `${[`Workspace ${workspace}`, '', ...problems.flatMap(problemLines), summary].join('\n')}\n`;
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

function problemLines(problem: Problem): string[] {
  const mark = problem.severity === 'fatal' ? 'STOPS' : 'NOTE ';
  const lines = [`${mark}  ${problem.code}  ${problem.where}`, `       ${problem.message}`];
  if (problem.value !== undefined) lines.push(`       Found: ${problem.value}`);
  if (problem.consequence !== undefined) lines.push(`       Consequence: ${problem.consequence}`);
  return [...lines, `       Cure: ${problem.fix}`, ''];
}
