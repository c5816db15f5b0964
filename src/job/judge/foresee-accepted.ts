import { type Problem, problemOf } from '../../errors/rb-error.ts';
import { runContext } from '../../platform/run-context.ts';
import { SILENT_LOG } from '../../platform/silent-log.ts';
import { prepareRecords } from '../../verdict/baseline.ts';
import { foreseenReasons } from '../../verdict/baseline-foresight.ts';
import { connectTo } from '../connection.ts';
import type { Foresight } from '../measure/run-benchmark.ts';
import { recordsOfAccepted } from '../runs/read-baseline-file.ts';
import type { VerbContext } from '../verb.ts';
import { acceptedOn, type BranchLook, lookAtBranch } from './branch-baseline.ts';
import { eventFacts } from './event-facts.ts';

/**
 * Looks at the accepted baseline that `baseline: auto` will find, before hours of rollouts: a warning, since another run may
 * be accepted meanwhile. The report branch is read at once, so that nothing waits for it later. Null where this job does
 * not decide by it, or has no token to read it with.
 */
export function foreseeAccepted(verb: VerbContext, payload: unknown): Foresight | null {
  const { inputs, env, action } = verb;
  if (action === null || inputs.mode !== 'all' || inputs.baseline.kind !== 'auto') return null;
  const context = runContext(env, payload);
  const github = connectTo({ ...verb, log: SILENT_LOG }, inputs.githubToken, context.repository);
  if (github === null) return null;
  const claimed = { pullRequest: null, headCommit: null };
  const facts = eventFacts({ context, payload, prNumber: inputs.prNumber, claimed });
  if (facts.baseBranch === null) return null;
  // What cannot be read is said by the report, which reads it again; a bug shows there, too.
  const reading = lookAtBranch({ ...verb, log: SILENT_LOG }, facts, github).catch(
    (): BranchLook => ({ kind: 'none' }),
  );
  return async (plan, fingerprint) => {
    if (plan.arms.includes('baseline')) return [];
    const found = await acceptedOn(await reading, facts)(plan.suite);
    if (found.kind !== 'accepted') return [];
    const { branch, commit, runId } = found.baseline.header;
    const name = `${branch} at ${commit === null ? runId : commit.slice(0, 10)}`;
    const prepared = prepareRecords(plan, fingerprint, recordsOfAccepted(found.baseline, name));
    return foreseenReasons(plan, prepared).map(
      ({ text }): Problem =>
        problemOf('RB450', {
          where: `accepted baseline of ${plan.suite}`,
          message: text,
          value: name,
          consequence:
            'The run is measured whole, and unless another run is accepted meanwhile its verdict is INVALID.',
        }),
    );
  };
}
