import { type Problem, RbError } from '../../errors/rb-error.ts';
import type { Endpoints } from '../../plan/endpoints.ts';
import type { PolicyIdentity } from '../../policy/metadata.ts';
import { probePolicy } from '../../policy/probe.ts';
import { describeTarget } from '../../target/client.ts';
import type { TargetDescription } from '../../target/description.ts';

/** Whoever looks at a host does not want to wait; a run waits longer. */
const PROBE_TIMEOUT_MS = 5000;

/** What a server said, or why it was not asked, or that it gave no good answer (its problem then says why). */
export type Asked<Answer> =
  | { readonly asked: false; readonly why: string }
  | { readonly asked: true; readonly answer: Answer | null };

export interface Probes {
  readonly target: Asked<TargetDescription>;
  readonly policy: Asked<PolicyIdentity>;
  readonly problems: readonly Problem[];
}

/**
 * Asks target and policy who they are, as a run would before it queues anything, but with little patience. A target that
 * answers late is a note: it may be inside a chunk or building its simulator.
 * @param endpoints null when no pair is chosen.
 */
export async function probeServers(endpoints: Endpoints | null, signal: AbortSignal): Promise<Probes> {
  if (endpoints === null) return unasked('it is not known which target and skill runtime are meant');
  // A malformed endpoint was told already, and there is nobody to ask.
  if (endpoints.problems.some(({ code }) => code === 'RB309')) return unasked('an endpoint is malformed');
  const [target, policy] = await Promise.all([
    endpoints.target === null
      ? skipped('the target runs inside the runtime')
      : ask(describe(endpoints.target, signal), ofTarget),
    endpoints.policy === null
      ? skipped('no endpoint is known; give --policy-endpoint')
      : ask(probePolicy(endpoints.policy, { timeoutMs: PROBE_TIMEOUT_MS, signal }), ofPolicy),
  ]);
  return { target: target.asked, policy: policy.asked, problems: [...target.problems, ...policy.problems] };
}

function unasked(why: string): Probes {
  const { asked } = skipped(why);
  return { target: asked, policy: asked, problems: [] };
}

interface Probe<Answer> {
  readonly asked: Asked<Answer>;
  readonly problems: readonly Problem[];
}

function skipped(why: string): Probe<never> {
  return { asked: { asked: false, why }, problems: [] };
}

function describe(endpoint: string, signal: AbortSignal): Promise<TargetDescription> {
  const timeouts = { connectTimeoutMs: PROBE_TIMEOUT_MS, answerTimeoutMs: PROBE_TIMEOUT_MS };
  return describeTarget(endpoint, { ...timeouts, signal });
}

async function ask<Answer>(
  question: Promise<Answer>,
  judged: (problem: Problem) => Problem,
): Promise<Probe<Answer>> {
  try {
    return { asked: { asked: true, answer: await question }, problems: [] };
  } catch (error) {
    if (!(error instanceof RbError)) throw error;
    return { asked: { asked: true, answer: null }, problems: error.problems.map(judged) };
  }
}

function ofTarget(problem: Problem): Problem {
  const late = problem.code === 'RB321';
  return {
    ...problem,
    severity: late ? 'warning' : 'fatal',
    consequence: late
      ? 'A run waits longer for the answer, then stops before it queues anything.'
      : 'A run stops before it queues anything, or every session ends in an error.',
  };
}

/** A policy that is not there yet is waited for, so it is no fault of the workspace. */
function ofPolicy(problem: Problem): Problem {
  return {
    ...problem,
    severity: problem.code === 'RB350' ? 'warning' : 'fatal',
    consequence: 'A run waits for it up to `policy-wait`, then stops before it queues anything.',
  };
}
