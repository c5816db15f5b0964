import * as path from 'node:path';
import { EXIT, type ExitCode, type Problem } from '../errors/rb-error.ts';
import type { Inputs } from '../inputs/read-inputs.ts';
import { readEvent } from '../job/read-event.ts';
import type { VerbContext } from '../job/verb.ts';
import { purposeOf, runContext } from '../platform/run-context.ts';
import { runnersHere } from '../platform/runner-facts.ts';
import { type DoctorOptions, examineWorkspace } from './doctor/check-workspace.ts';
import { type DoctorFacts, doctorFacts } from './doctor/facts.ts';
import { factLines } from './doctor/facts-text.ts';
import { foreseenRefusals } from './doctor/foresee.ts';
import { withLane } from './doctor/lane-problems.ts';
import { probeServers } from './doctor/probes.ts';
import { runnerProblems } from './doctor/runner-age.ts';

/**
 * `doctor`: everything in a workspace that would stop or mislead a benchmark, and whether target and policy answer.
 * Writes nothing. Exit 3 when it would stop.
 */
export async function doctor(given: VerbContext): Promise<ExitCode> {
  const inputs = await withEndpoints(given.inputs);
  const verb = { ...given, inputs };
  const workspace = path.resolve(inputs.workspace ?? '.');
  const options: DoctorOptions = {
    target: inputs.target,
    skillruntime: inputs.skillruntime,
    suites: inputs.suites,
    policyEndpoint: inputs.policyEndpoint,
    targetEndpoint: inputs.targetEndpoint,
    dialect: inputs.dialect,
    nowMs: verb.clock.now(),
    searchPath: verb.env['PATH'] ?? '',
    // A machine of GitHub's own has the version that GitHub gave it.
    runner: verb.env['RUNNER_ENVIRONMENT'] === 'github-hosted' ? null : ((await runnersHere())[0] ?? null),
  };
  const examined = await examineWorkspace(workspace, options);
  const { clock, log, signal } = verb;
  const endpoints = examined.pair?.chosen ? examined.pair.endpoints : null;
  const startsPolicy = inputs.policyCommand !== null;
  const probes = await probeServers({ workspace, endpoints, startsPolicy, clock, log, signal });
  const run = runContext(verb.env, await readEvent(verb.env));
  const foreseen = await foreseenRefusals({ verb, run, ...examined, probes });
  const facts = examined.documents === null ? null : await doctorFacts(workspace, examined, probes, options);
  const problems = fatalFirst([
    ...withLane(examined.problems, facts?.lane ?? null),
    ...probes.problems,
    ...runnerProblems(options.runner, options.nowMs),
    ...foreseen.filter((each) => !isTold(each, examined.problems)),
  ]);
  verb.stdout(
    verb.json
      ? `${JSON.stringify({ workspace, facts, problems }, null, 2)}\n`
      : doctorText({ workspace, facts, problems }, options.nowMs, await isRelease(verb)),
  );
  return problems.some(({ severity }) => severity === 'fatal') ? EXIT.refused : EXIT.ok;
}

/** As a run has them: a policy that it starts has an endpoint, too. Loaded only where one is started. */
async function withEndpoints(inputs: Inputs): Promise<Inputs> {
  if (inputs.policyCommand === null && inputs.baselineCommand === null) return inputs;
  const { withPolicyPorts } = await import('../job/prepare/start-policies.ts');
  return withPolicyPorts(inputs);
}

/** The workspace's own checks and those of a run may find the same. */
function isTold({ code, where }: Problem, told: readonly Problem[]): boolean {
  return told.some((each) => each.code === code && each.where === where);
}

async function isRelease({ inputs, env }: VerbContext): Promise<boolean> {
  if (inputs.purpose !== 'auto') return inputs.purpose === 'release';
  return purposeOf(runContext(env, await readEvent(env))) === 'release';
}

function fatalFirst(problems: readonly Problem[]): Problem[] {
  return problems.toSorted(
    (left, right) => Number(right.severity === 'fatal') - Number(left.severity === 'fatal'),
  );
}

interface Findings {
  /** Absolute. */
  readonly workspace: string;
  /** Null when the workspace is no folder. */
  readonly facts: DoctorFacts | null;
  readonly problems: readonly Problem[];
}

/** What is no fault of the workspace, but has to be said to every other command: which pair, which policy. */
const MUST_BE_GIVEN: ReadonlySet<string> = new Set(['RB303', 'RB308', 'RB313']);

function isMissingInput({ code, severity }: Problem): boolean {
  return severity !== 'fatal' && MUST_BE_GIVEN.has(code);
}

/** What was found, then each problem with place, value, consequence and cure. Pure; `nowMs` for ages. */
export function doctorText(
  { workspace, facts, problems }: Findings,
  nowMs: number,
  forRelease = false,
): string {
  const known = facts === null ? [''] : [...factLines(facts, nowMs, forRelease), ''];
  const head = `Workspace ${workspace}`;
  return `${[head, ...known, ...problems.flatMap(problemLines), summaryOf(problems)].join('\n')}\n`;
}

/** A run without an input that is missing here is refused, so this must not read as if nothing would stop it. */
function summaryOf(problems: readonly Problem[]): string {
  const missing = problems.filter(isMissingInput);
  const found = problems.length - missing.length;
  const fatal = problems.filter(({ severity }) => severity === 'fatal').length;
  const codes = missing.map(({ code }) => code).join(' and ');
  if (missing.length > 0 && found === 0)
    return `A run with these inputs is refused: give it, and this command, what ${codes} asks for. Nothing else was found so far; what depends on it could not be looked at.`;
  const counts =
    found === 0
      ? 'Nothing was found that would stop or mislead a benchmark.'
      : `${counted(fatal, 'problem')} would stop a benchmark, ${counted(found - fatal, 'problem')} could mislead it or the host's users.`;
  if (missing.length === 0) return counts;
  return `${counts}\nNot everything could be looked at: give what ${codes} asks for, here and to a run, which is refused without it.`;
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

function problemLines(problem: Problem): string[] {
  const mark = problem.severity === 'fatal' ? 'STOPS' : isMissingInput(problem) ? 'GIVE ' : 'NOTE ';
  const lines = [`${mark}  ${problem.code}  ${problem.where}`, `       ${problem.message}`];
  if (problem.value !== undefined) lines.push(`       Found: ${problem.value}`);
  if (problem.consequence !== undefined) lines.push(`       Consequence: ${problem.consequence}`);
  return [...lines, `       Cure: ${problem.fix}`, ''];
}
