import * as path from 'node:path';
import { EXIT, type ExitCode, type Problem } from '../errors/rb-error.ts';
import { type DoctorOptions, examineWorkspace } from './doctor/check-workspace.ts';
import { type DoctorFacts, doctorFacts } from './doctor/facts.ts';
import { factLines } from './doctor/facts-text.ts';
import { probeServers } from './doctor/probes.ts';
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
  const examined = await examineWorkspace(workspace, options);
  const probes = await probeServers(examined.pair?.chosen ? examined.pair.endpoints : null, verb.signal);
  const problems = fatalFirst([...examined.problems, ...probes.problems]);
  const facts = examined.documents === null ? null : await doctorFacts(workspace, examined, probes, options);
  verb.stdout(
    verb.json
      ? `${JSON.stringify({ workspace, facts, problems }, null, 2)}\n`
      : doctorText({ workspace, facts, problems }, options.nowMs),
  );
  return problems.some(({ severity }) => severity === 'fatal') ? EXIT.refused : EXIT.ok;
}

function fatalFirst(problems: readonly Problem[]): Problem[] {
  return problems.toSorted(
    (left, right) => Number(right.severity === 'fatal') - Number(left.severity === 'fatal'),
  );
}

export interface Findings {
  /** Absolute. */
  readonly workspace: string;
  /** Null when the workspace is no folder. */
  readonly facts: DoctorFacts | null;
  readonly problems: readonly Problem[];
}

/** What was found, then each problem with place, value, consequence and cure. Pure; `nowMs` for ages. */
export function doctorText({ workspace, facts, problems }: Findings, nowMs: number): string {
  const fatal = problems.filter(({ severity }) => severity === 'fatal').length;
  const summary =
    problems.length === 0
      ? 'Nothing was found that would stop or mislead a benchmark.'
      : `${counted(fatal, 'problem')} would stop a benchmark, ${counted(problems.length - fatal, 'problem')} could mislead it or the host's users.`;
  const known = facts === null ? [''] : [...factLines(facts, nowMs), ''];
  const head = `Workspace ${workspace}`;
  return `${[head, ...known, ...problems.flatMap(problemLines), summary].join('\n')}\n`;
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
