import * as path from 'node:path';
import { EXIT, type ExitCode, type Problem } from '../errors/rb-error.ts';
import { checkWorkspace } from './doctor/check-workspace.ts';
import type { VerbContext } from './verb.ts';

/** `doctor`: everything in a workspace that would stop or mislead a benchmark. Changes nothing. Exit 3 when it would stop. */
export async function doctor(verb: VerbContext): Promise<ExitCode> {
  const { inputs } = verb;
  const workspace = path.resolve(inputs.workspace ?? '.');
  const problems = await checkWorkspace(workspace, {
    target: inputs.target,
    skillruntime: inputs.skillruntime,
    suites: inputs.suites,
    policyEndpoint: inputs.policyEndpoint,
    targetEndpoint: inputs.targetEndpoint,
    nowMs: verb.clock.now(),
    searchPath: verb.env['PATH'] ?? '',
  });
  verb.stdout(
    verb.json ? `${JSON.stringify({ workspace, problems }, null, 2)}\n` : doctorText(workspace, problems),
  );
  return problems.some(({ severity }) => severity === 'fatal') ? EXIT.refused : EXIT.ok;
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
