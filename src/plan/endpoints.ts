import { parseTargetEndpoint } from '../describe/endpoint.ts';
import { type Problem, problemOf } from '../errors/rb-error.ts';
import { parsePolicyEndpoint } from '../policy/endpoint.ts';
import type { TargetFacts } from './pairs.ts';

export interface Endpoints {
  /** As a session's routing takes it; null together with a problem. */
  readonly policy: string | null;
  /** Where the target listens; null for one inside the runtime. */
  readonly target: string | null;
  /** Only when the user names another one than TARGETS.md: it goes into each session's routing. */
  readonly targetOverride: string | null;
  readonly problems: readonly Problem[];
}

/** The endpoints of a run: what the user gives, else the target's entry and its config's `policy_endpoint`. */
export function resolveEndpoints(
  target: TargetFacts,
  given: { readonly policyEndpoint: string | null; readonly targetEndpoint: string | null },
): Endpoints {
  const problems: Problem[] = [];
  const configured = target.config.policy_endpoint;
  const policy = given.policyEndpoint ?? (typeof configured === 'string' ? configured : null);
  const policyWhere =
    given.policyEndpoint === null
      ? `TARGETS.md ${target.id} config.policy_endpoint`
      : 'input policy-endpoint';
  if (policy === null) {
    problems.push(
      problemOf('RB308', {
        where: 'input policy-endpoint',
        message: 'no policy endpoint is known.',
        fix: `Give policy-endpoint, for example openpi://127.0.0.1:8000, or set config.policy_endpoint at ${target.id}.`,
      }),
    );
  } else problems.push(...malformed(policyWhere, policy, parsePolicyEndpoint(policy)));
  const own = target.runtime.target_endpoint ?? null;
  const endpoint = given.targetEndpoint ?? own;
  const targetWhere =
    given.targetEndpoint === null
      ? `TARGETS.md ${target.id} runtime.target_endpoint`
      : 'input target-endpoint';
  if (endpoint !== null) problems.push(...malformed(targetWhere, endpoint, parseTargetEndpoint(endpoint)));
  return {
    policy,
    target: endpoint,
    targetOverride: given.targetEndpoint === own ? null : given.targetEndpoint,
    problems,
  };
}

function malformed(
  where: string,
  value: string,
  parsed: { ok: true } | { ok: false; why: string },
): Problem[] {
  if (parsed.ok) return [];
  // A malformed endpoint may hold a password, so only its beginning is shown.
  const shown = value.includes('@') ? `${value.slice(0, value.indexOf(':') + 3)}…` : value.slice(0, 80);
  return [
    problemOf('RB309', {
      where,
      message: `the endpoint ${parsed.why}.`,
      value: shown,
      fix: 'Correct the endpoint.',
    }),
  ];
}
