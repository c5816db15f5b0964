import { describeTarget } from '../../describe/client.ts';
import type { TargetDescription } from '../../describe/description.ts';
import { type Problem, RbError } from '../../errors/rb-error.ts';
import { askServer, COLD_MS, CONNECT_MS, type ServerQuestion } from '../../job/prepare/ask-server.ts';
import { describedOrNot, type Undescribed } from '../../job/prepare/discover.ts';
import type { Endpoints } from '../../plan/endpoints.ts';
import type { Clock, Log } from '../../platform/ports.ts';
import type { PolicyIdentity } from '../../policy/metadata.ts';
import { probePolicy } from '../../policy/probe.ts';
import { sessionAtWork } from '../../queue/session-at-work.ts';

/** What a server said, or why it was not asked, or that it gave no good answer (its problem then says why). */
export type Asked<Answer> =
  | { readonly asked: false; readonly why: string }
  | {
      readonly asked: true;
      readonly answer: Answer | null;
      /** It accepts connections, and a session keeps it from answering. */
      readonly busy: boolean;
    };

export interface Probes {
  readonly target: Asked<TargetDescription | Undescribed>;
  readonly policy: Asked<PolicyIdentity>;
  readonly problems: readonly Problem[];
}

interface ProbeRequest {
  /** Absolute. */
  readonly workspace: string;
  /** Null when no pair is chosen. */
  readonly endpoints: Endpoints | null;
  /** The policy is started by each run itself; left out: it should be there. */
  readonly startsPolicy?: boolean;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
  /** How long a server that no session keeps busy may be silent before it counts as dead, in milliseconds. */
  readonly coldMs?: number;
}

/**
 * Asks target and policy who they are, as a run would before it queues anything. One that a session keeps busy is a note;
 * one that is cold gets the time to build its simulator or load its checkpoint.
 */
export async function probeServers(request: ProbeRequest): Promise<Probes> {
  const { endpoints } = request;
  if (endpoints === null) return unasked('it is not known which target and skill runtime are meant');
  // A malformed endpoint was told already, and there is nobody to ask.
  if (endpoints.problems.some(({ code }) => code === 'RB309')) return unasked('an endpoint is malformed');
  const [target, policy] = await Promise.all([
    endpoints.target === null
      ? skipped('the target runs inside the runtime')
      : ask(targetQuestion(request, endpoints.target), ofTarget),
    request.startsPolicy === true
      ? skipped('a run starts it by policy-command')
      : endpoints.policy === null
        ? skipped('no endpoint is known; give --policy-endpoint')
        : ask(policyQuestion(request, endpoints.policy), ofPolicy),
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

type Asking = Pick<ServerQuestion<never>, 'whenBusy' | 'waitMs' | 'clock' | 'log' | 'signal'>;

function asking({ clock, log, signal }: ProbeRequest): Asking {
  return { whenBusy: 'leave', waitMs: 0, clock, log, signal };
}

function targetQuestion(
  request: ProbeRequest,
  endpoint: string,
): ServerQuestion<TargetDescription | Undescribed> {
  const { workspace, clock, coldMs = COLD_MS } = request;
  return {
    ...asking(request),
    server: `target at ${endpoint}`,
    cold: 'builds its simulator',
    ask: (signal) =>
      describedOrNot(
        describeTarget(endpoint, { connectTimeoutMs: CONNECT_MS, answerTimeoutMs: coldMs, signal }),
      ),
    busyWith: () => sessionAtWork(workspace, endpoint, clock.now()),
  };
}

function policyQuestion(request: ProbeRequest, endpoint: string): ServerQuestion<PolicyIdentity> {
  const { workspace, clock, coldMs = COLD_MS } = request;
  return {
    ...asking(request),
    server: `policy at ${endpoint}`,
    cold: 'loads its checkpoint',
    ask: (signal) => probePolicy(endpoint, { timeoutMs: coldMs, connectTimeoutMs: CONNECT_MS, signal }),
    // Through a recording relay a session names another endpoint than its policy's, so any session counts.
    busyWith: () => sessionAtWork(workspace, null, clock.now()),
  };
}

async function ask<Answer>(
  question: ServerQuestion<Answer>,
  judged: (problem: Problem) => Problem,
): Promise<Probe<Answer>> {
  try {
    return { asked: { asked: true, answer: await askServer(question), busy: false }, problems: [] };
  } catch (error) {
    if (!(error instanceof RbError)) throw error;
    const busy = error.problems.some(isBusy);
    return {
      asked: { asked: true, answer: null, busy },
      problems: error.problems.map((problem) => (isBusy(problem) ? noted(problem) : judged(problem))),
    };
  }
}

function isBusy({ code }: Problem): boolean {
  return code === 'RB327';
}

function noted(problem: Problem): Problem {
  return {
    ...problem,
    severity: 'warning',
    consequence: 'None for a run: it waits for its turn. What the server says of itself is not known now.',
  };
}

function ofTarget(problem: Problem): Problem {
  return {
    ...problem,
    severity: 'fatal',
    consequence: 'A run stops before it queues anything, or every session ends in an error.',
  };
}

/** One that is not there yet is waited for; until it is there, no run begins. */
function ofPolicy(problem: Problem): Problem {
  return {
    ...problem,
    severity: 'fatal',
    consequence: 'A run waits for it up to `policy-wait`, then stops before it queues anything.',
  };
}
