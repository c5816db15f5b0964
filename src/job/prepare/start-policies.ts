import * as fs from 'node:fs/promises';
import * as path from 'node:path';
import { EXIT, type Problem, problemOf, RbError } from '../../errors/rb-error.ts';
import type { Inputs } from '../../inputs/read-inputs.ts';
import { BENCH_FOLDER, hostFolder } from '../../lane/host-folder.ts';
import type { Arm } from '../../model/plan.ts';
import { forkGuard } from '../../platform/fork-guard.ts';
import { parsePolicyEndpoint } from '../../policy/endpoint.ts';
import { freePorts } from '../../policy-process/free-port.ts';
import { PolicyArms } from '../../policy-process/policy-arms.ts';
import { PolicyProcess } from '../../policy-process/policy-process.ts';
import { tellsProcesses } from '../../policy-process/proc.ts';
import { secretsIn } from '../../screen/secret-scan.ts';
import { redactor, secretsOf } from '../../screen/secrets.ts';
import type { Environment, VerbContext } from '../verb.ts';
import { startOf } from './policy-source.ts';

const ARMS: readonly Arm[] = ['candidate', 'baseline'];

/** Inputs in which each policy that is to be started has its endpoint: a port of the loopback device that is free now. */
export async function withPolicyPorts(inputs: Inputs): Promise<Inputs> {
  const started = ARMS.filter((arm) => startOf(inputs, arm) !== null);
  if (started.length === 0) return inputs;
  const ports = await freePorts(started.length);
  const endpointOf = (arm: Arm, given: string | null): string | null => {
    const port = ports[started.indexOf(arm)];
    return port === undefined ? given : `openpi://127.0.0.1:${port}`;
  };
  return {
    ...inputs,
    policyEndpoint: endpointOf('candidate', inputs.policyEndpoint),
    baselineEndpoint: endpointOf('baseline', inputs.baselineEndpoint),
  };
}

/**
 * Refuses commands that may not be started here, before the host is touched.
 * @throws RbError RB943 (exit 2), RB704, RB944, RB949 or RB951 (exit 3), all problems at once.
 */
export async function requireStartable(inputs: Inputs, env: Environment, payload: unknown): Promise<void> {
  const starts = ARMS.flatMap((arm) => startOf(inputs, arm) ?? []);
  if (starts.length === 0) return;
  const secret = (inputs.policyEnv ?? []).filter((name) => isSecret(name, env));
  if (secret.length > 0) throw new RbError(EXIT.usage, secret.map(secretVariable));
  const problems = [
    ...forkProblems(env, payload),
    ...(tellsProcesses() ? [] : [NO_PROC]),
    ...secretProblems(inputs, env),
  ];
  for (const { directory } of starts) if (!(await isFolder(directory))) problems.push(noFolder(directory));
  if (problems.length > 0) throw new RbError(EXIT.refused, problems);
}

/** By its name, whatever its value is now. */
function isSecret(name: string, env: Environment): boolean {
  return secretsOf({ [name]: env[name] }).length > 0 || secretsOf({ [name]: 'x'.repeat(32) }).length > 0;
}

function secretVariable(name: string): Problem {
  return problemOf('RB943', {
    where: 'input policy-env',
    message: 'it names a secret, and code under test gets none.',
    value: name,
    fix: 'Take it out. A checkpoint that needs it is fetched before, by a step that runs no code of the pull request.',
  });
}

function forkProblems(env: Environment, payload: unknown): Problem[] {
  const { relation, selfHosted } = forkGuard({ env, payload, operatorAllows: true });
  if (!selfHosted || (relation !== 'fork' && relation !== 'unknown')) return [];
  return [
    problemOf('RB951', {
      where: 'input policy-command',
      message: 'the code may come from a fork, and this runner is self-hosted.',
      fix: "Measure a fork's change after a maintainer pushed it to a branch of this repository.",
    }),
  ];
}

/** A command is a pin of the bundle, which would be held back in the end. */
function secretProblems({ policyCommand, baselineCommand }: Inputs, env: Environment): Problem[] {
  const commands = { 'policy-command': policyCommand, 'baseline-command': baselineCommand };
  return Object.entries(commands).flatMap(([name, command]) => {
    const kinds = secretsIn(command ?? '', secretsOf(env));
    if (kinds.length === 0) return [];
    return [
      problemOf('RB704', {
        where: `input ${name}`,
        message: `it holds a secret (${kinds.join(', ')}), and the command is part of every bundle; nothing was queued.`,
        fix: 'Take it out and change it. What the policy needs is fetched before, by a step that runs no code of the pull request.',
      }),
    ];
  });
}

const NO_PROC: Problem = problemOf('RB949', {
  where: 'input policy-command',
  message: 'this system has no /proc, so what the command starts could not be ended for certain.',
  fix: 'Start the policy yourself and give policy-endpoint.',
});

function noFolder(directory: string): Problem {
  return problemOf('RB944', {
    where: 'inputs policy-directory, baseline-directory',
    message: 'there is no such folder to start the policy in.',
    value: directory,
    fix: 'Check the code out there in a step before this one, or correct the folder.',
  });
}

async function isFolder(directory: string): Promise<boolean> {
  return (await fs.stat(directory).catch(() => null))?.isDirectory() === true;
}

interface StartRequest {
  readonly verb: VerbContext;
  /** Absolute. */
  readonly workspace: string;
  /** Of the first suite; the logs stand beside its bundle. */
  readonly runId: string;
}

/** The policies of these inputs that are to be started; none is running yet. Null when there is none. */
export function policyArms({ verb, workspace, runId }: StartRequest): PolicyArms | null {
  const { inputs, env, clock, log } = verb;
  const { policyEndpoint, baselineEndpoint, policyStopCommand, policyEnv, policyWaitS } = inputs;
  const folder = path.join(workspace, BENCH_FOLDER, runId);
  const records = hostFolder(workspace).policies;
  const mask = redactor(secretsOf(env));
  const shared = {
    stopCommand: policyStopCommand,
    names: policyEnv ?? [],
    waitMs: policyWaitS * 1000,
    runId,
  };
  const processes = ARMS.flatMap((arm) => {
    const start = startOf(inputs, arm);
    const port = portOf(arm === 'candidate' ? policyEndpoint : baselineEndpoint);
    if (start === null || port === null) return [];
    const logFile = path.join(folder, `policy-${arm}.log`);
    return [
      new PolicyProcess({ ...shared, ...start, arm, port }, { env, clock, log, mask, records, logFile }),
    ];
  });
  return processes.length === 0 ? null : new PolicyArms(processes);
}

function portOf(endpoint: string | null): number | null {
  const parsed = endpoint === null ? null : parsePolicyEndpoint(endpoint);
  return parsed?.ok === true && parsed.kind === 'websocket' ? Number(new URL(parsed.url).port) : null;
}
