import { type Problem, RbError } from '../../errors/rb-error.ts';
import type { Endpoints } from '../../plan/endpoints.ts';
import { probePolicy } from '../../policy/probe.ts';
import { describeTarget } from '../../target/client.ts';

/** Whoever looks at a host does not want to wait; a run waits longer. */
const PROBE_TIMEOUT_MS = 5000;

/**
 * Asks target and policy who they are, as a run would before it queues anything, but with little patience. A target that
 * answers late is a note: it may be inside a chunk or building its simulator.
 */
export async function probeProblems(
  { target, policy, problems }: Endpoints,
  signal: AbortSignal,
): Promise<Problem[]> {
  // A malformed endpoint was told already, and there is nobody to ask.
  if (problems.some(({ code }) => code === 'RB309')) return [];
  const found = await Promise.all([
    target === null ? [] : problemsOf(() => describe(target, signal)).then(ofTarget),
    policy === null
      ? []
      : problemsOf(() => probePolicy(policy, { timeoutMs: PROBE_TIMEOUT_MS, signal })).then(ofPolicy),
  ]);
  return found.flat();
}

function describe(endpoint: string, signal: AbortSignal): Promise<unknown> {
  const timeouts = { connectTimeoutMs: PROBE_TIMEOUT_MS, answerTimeoutMs: PROBE_TIMEOUT_MS };
  return describeTarget(endpoint, { ...timeouts, signal });
}

async function problemsOf(ask: () => Promise<unknown>): Promise<readonly Problem[]> {
  try {
    await ask();
    return [];
  } catch (error) {
    if (error instanceof RbError) return error.problems;
    throw error;
  }
}

function ofTarget(problems: readonly Problem[]): Problem[] {
  return problems.map((problem) => ({
    ...problem,
    severity: problem.code === 'RB321' ? 'warning' : 'fatal',
    consequence:
      problem.code === 'RB321'
        ? 'A run waits longer for the answer, then stops before it queues anything.'
        : 'A run stops before it queues anything, or every session ends in an error.',
  }));
}

/** A policy that is not there yet is waited for, so it is no fault of the workspace. */
function ofPolicy(problems: readonly Problem[]): Problem[] {
  return problems.map((problem) => ({
    ...problem,
    severity: problem.code === 'RB350' ? 'warning' : 'fatal',
    consequence: 'A run waits for it up to `policy-wait`, then stops before it queues anything.',
  }));
}
