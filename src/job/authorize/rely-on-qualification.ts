import * as path from 'node:path';
import { sha256Of } from '../../base/sha256.ts';
import { stableJson } from '../../base/stable-json.ts';
import { BUNDLE_FILES } from '../../bundle/layout.ts';
import { EXIT, type Problem, problemLine, problemOf, RbError } from '../../errors/rb-error.ts';
import { commandLine } from '../../inputs/command-line.ts';
import type { Inputs } from '../../inputs/read-inputs.ts';
import type { Clock } from '../../platform/ports.ts';
import { purposeOf, type RunContext } from '../../platform/run-context.ts';
import { toolFacts } from '../../platform/tool-facts.ts';
import { askedOf, boundOf } from '../../qualification/bound.ts';
import { freshQualification, type NotFresh, newestAbout, noneFor } from '../../qualification/freshness.ts';
import { few } from '../../verdict/few.ts';
import type { OpenHost } from '../prepare/open-host.ts';
import { protocolOf } from '../prepare/protocol.ts';
import { keptQualifications } from '../runs/keep-qualification.ts';
import type { Authority, AuthorityRequest } from './authority.ts';
import { controlFaults, qualificationFaults } from './recheck-qualification.ts';

/**
 * The fresh qualification that a run relies on, as its bundle keeps it. Without one a release is refused; any other run
 * goes on, and its evidence is exploratory.
 * @throws RbError RB371 to RB374, or RB447 for one that its own evidence does not bear out (exit 3), for a release.
 */
export async function relyOnQualification(request: AuthorityRequest): Promise<Authority> {
  const { verb, host, plan, found, inputs, clock, log } = request;
  const command = qualifyCommand(inputs, plan.suite);
  const { kept, unreadable } = await keptQualifications(host.workspace);
  const bound = boundOf({
    suite: plan.suite,
    skillruntime: host.skillruntime,
    target: host.target.id,
    targetEndpoint: host.endpoints.target,
    contract: host.base.contract,
    fingerprint: protocolOf(plan, host, found),
    asked: askedOf(plan.limits, plan.thresholds),
    tool: await toolFacts(),
  });
  const maxAgeMs = inputs.qualificationAgeS * 1000;
  const fresh = freshQualification({ kept, bound, nowMs: clock.now(), maxAgeMs });
  if (fresh.kind === 'none') {
    if (plan.purpose === 'release')
      throw new RbError(EXIT.refused, [notQualified(fresh, unreadable, command)]);
    return { facts: {}, documents: [], reservation: null };
  }
  const { qualification } = fresh;
  const faults = await qualificationFaults(host.workspace, qualification, verb.env);
  if (faults.length > 0) {
    const problem = notItsEvidence(qualification.id, faults, command);
    if (plan.purpose === 'release') throw new RbError(EXIT.refused, [problem]);
    log.warning(problemLine(problem));
    return { facts: {}, documents: [], reservation: null };
  }
  const { id, qualifiedAt, positiveControl, skipped } = qualification;
  log.info(`Qualified: relying on ${id} of ${qualifiedAt}.`);
  const text = stableJson(qualification);
  return {
    facts: { qualification: { id, sha256: sha256Of(text), qualifiedAt, positiveControl, skipped } },
    documents: [{ name: BUNDLE_FILES.qualification, text }],
    reservation: null,
  };
}

interface BeforePlanRequest {
  readonly host: OpenHost;
  readonly suites: readonly string[];
  readonly inputs: Inputs;
  readonly context: RunContext;
  readonly clock: Clock;
}

/**
 * Refuses a release with a suite whose qualification cannot count whatever the target answers: asking the target may
 * take a session (a primer), and measuring the first suites hours.
 * @throws RbError RB371, RB373, RB374 or RB447 (exit 3), for every such suite.
 */
export async function refuseUnqualifiedRelease(request: BeforePlanRequest): Promise<void> {
  const { host, suites, inputs, context, clock } = request;
  const purpose = inputs.purpose === 'auto' ? purposeOf(context) : inputs.purpose;
  if (purpose !== 'release') return;
  const { kept, unreadable } = await keptQualifications(host.workspace);
  const maxAgeMs = inputs.qualificationAgeS * 1000;
  const problems: Problem[] = [];
  for (const suite of suites) {
    const subject = { suite, target: host.target.id, skillruntime: host.skillruntime };
    const hopeless = noneFor({ kept, subject, nowMs: clock.now(), maxAgeMs });
    const newest = newestAbout(kept, subject);
    const command = qualifyCommand(inputs, suite);
    if (hopeless !== null) problems.push(notQualified(hopeless, unreadable, command));
    else if (newest !== undefined) {
      const faults = await controlFaults(host.workspace, newest);
      if (faults.length > 0) problems.push(notItsEvidence(newest.id, faults, command));
    }
  }
  if (problems.length > 0) throw new RbError(EXIT.refused, problems);
}

/** With all that was given to this run and says what is shown. */
function qualifyCommand(inputs: Inputs, suite: string): QualifyCommand {
  const absolute = (each: string): string => path.resolve(each);
  return { suite, text: commandLine({ verb: 'qualify', inputs, change: { suite }, absolute }) };
}

interface QualifyCommand {
  readonly suite: string;
  readonly text: string;
}

function notItsEvidence(id: string, faults: readonly string[], { text }: QualifyCommand): Problem {
  return problemOf('RB447', {
    where: `qualification ${id}`,
    message: `it is not what its own evidence says: ${few(faults)}.`,
    fix: `Run \`${text}\` again, and find out who changed what is kept on this host.`,
    consequence: 'No run relies on it: its evidence would be exploratory.',
  });
}

function notQualified(
  { code, why }: NotFresh,
  unreadable: readonly string[],
  { suite, text }: QualifyCommand,
): Problem {
  const others = unreadable.length === 0 ? '' : `; ${unreadable.length} files of other releases do not count`;
  // What did not pass would not pass the next time either.
  const first =
    code === 'RB374'
      ? 'Mend what its controls found, see its folder in artifacts/rollout-bench; then run'
      : 'Run';
  return {
    code,
    where: `release of ${suite}`,
    message: `no fresh qualification: ${why}${others}.`,
    fix: `${first} \`${text}\` on this host (workspace, target, floors and steps must be those of the release; threshold-mode is none of a qualification's), or put a step with mode: qualify before this one.`,
    severity: 'fatal',
  };
}
