import { sha256Of } from '../../bundle/hash-file.ts';
import { BUNDLE_FILES } from '../../bundle/layout.ts';
import { EXIT, RbError } from '../../errors/rb-error.ts';
import { toolFacts } from '../../platform/tool-facts.ts';
import { boundOf } from '../../qualification/bound.ts';
import { type Freshness, freshQualification } from '../../qualification/freshness.ts';
import { stableJson } from '../../results/results-text.ts';
import { keptQualifications } from '../qualify/keep-qualification.ts';
import type { Authority, AuthorityRequest } from './authority.ts';
import { protocolOf } from './protocol.ts';

/**
 * The fresh qualification that a run relies on, as its bundle keeps it. Without one a release is refused; any other run
 * goes on, and its evidence is exploratory.
 * @throws RbError RB371 to RB374 (exit 3) for a release.
 */
export async function relyOnQualification(request: AuthorityRequest): Promise<Authority> {
  const { host, plan, found, inputs, clock, log } = request;
  const { kept, unreadable } = await keptQualifications(host.workspace);
  const bound = boundOf({
    suite: plan.suite,
    skillruntime: host.skillruntime,
    target: host.target.id,
    targetEndpoint: host.endpoints.target,
    contract: host.base.contract,
    fingerprint: protocolOf(plan, host, found),
    tool: await toolFacts(),
  });
  const maxAgeMs = inputs.qualificationAgeS * 1000;
  const fresh = freshQualification({ kept, bound, nowMs: clock.now(), maxAgeMs });
  if (fresh.kind === 'none') {
    if (plan.purpose === 'release') throw refused(fresh, plan.suite, unreadable);
    return { facts: {}, documents: [] };
  }
  const { qualification } = fresh;
  const { id, qualifiedAt, positiveControl, skipped } = qualification;
  log.info(`Qualified: relying on ${id} of ${qualifiedAt}.`);
  const text = stableJson(qualification);
  return {
    facts: { qualification: { id, sha256: sha256Of(text), qualifiedAt, positiveControl, skipped } },
    documents: [{ name: BUNDLE_FILES.qualification, text }],
  };
}

function refused(
  { code, why }: Extract<Freshness, { kind: 'none' }>,
  suite: string,
  unreadable: readonly string[],
): RbError {
  const others = unreadable.length === 0 ? '' : `; ${unreadable.length} files of other releases do not count`;
  return new RbError(EXIT.refused, [
    {
      code,
      where: `release of ${suite}`,
      message: `no fresh qualification: ${why}${others}.`,
      fix: `Run rollout-bench qualify --suite ${suite} on this host with the same workspace and target inputs, or put a step with mode: qualify before this one.`,
      severity: 'fatal',
    },
  ]);
}
