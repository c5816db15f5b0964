import * as z from 'zod';
import { type Approvers, involvedIn } from '../../approval/approvers.ts';
import { environmentContradiction } from '../../github/approval-sources.ts';
import { type FailureKind, failureProblem, GitHubFailure } from '../../github/failure.ts';
import { labelContradiction } from '../../github/label-approval.ts';
import { planFileContradiction } from '../../github/plan-file-approval.ts';
import type { Approval, Exclusion } from '../../model/approval.ts';
import type { RunFacts } from '../../model/run-facts.ts';
import { type Reason, uniqueReasons } from '../../model/verdict.ts';
import { eventBase } from '../../platform/workflow-events.ts';
import type { Measurement } from '../../results/measurement.ts';
import type { Connection } from '../connection.ts';
import type { VerbContext } from '../verb.ts';
import type { EventFacts } from './ref-standing.ts';
import type { OtherRules } from './rules.ts';

/** What is known of the measured code without any bundle. */
interface ApprovalWitness {
  readonly verb: Pick<VerbContext, 'env' | 'log' | 'inputs'>;
  /** Null: nothing can be read again. */
  readonly github: Connection | null;
  readonly facts: EventFacts;
  readonly payload: unknown;
}

interface Confirmed {
  readonly invalid: readonly Reason[];
  readonly warnings: readonly Reason[];
}

const repositorySchema = z.object({ repository: z.object({ default_branch: z.string() }) });

/** The token or the way to GitHub is at fault; anything else GitHub answers about what the bundle names. */
const COULD_NOT_ASK: ReadonlySet<FailureKind> = new Set([
  'credentials',
  'permission',
  'rate-limit',
  'unreachable',
  'strange',
]);

/**
 * Holds a release against what the event says of its code, reads the approvals again that it names, and takes what
 * contradicts them into the measurement: INVALID then. A bundle can be written by whoever runs code on the host; what
 * people approved stands on GitHub. Without a token nothing is read; what the token may not read is a warning.
 */
export async function withApprovals(
  measurement: Measurement,
  rules: OtherRules,
  witness: ApprovalWitness,
): Promise<{ readonly measurement: Measurement; readonly rules: OtherRules }> {
  if (measurement.plan.purpose !== 'release') return { measurement, rules };
  const runs = measurement.parts.length > 0 ? measurement.parts.map(({ run }) => run) : [measurement.run];
  const origins = uniqueReasons(runs.flatMap((run) => originReasons(run, witness.facts)));
  const said = await confirm(runs, witness);
  for (const { text } of said.warnings) witness.verb.log.warning(text);
  return {
    measurement: { ...measurement, invalid: [...measurement.invalid, ...origins, ...said.invalid] },
    rules: { ...rules, warnings: [...rules.warnings, ...said.warnings] },
  };
}

/** What a bundle leaves out or claims about its origin, against the event that GitHub itself sent. Pure. */
function originReasons({ approval, source }: RunFacts, facts: EventFacts): Reason[] {
  const reasons: Reason[] = [];
  const { measuringRunId, unauthenticated, headCommit, onBranch, event } = facts;
  const ofWorkflow = measuringRunId !== null;
  // On the command line whoever starts a release answers for it; a workflow run cannot say that it was none.
  if (approval === undefined && ofWorkflow && typeof source.githubRunId !== 'string')
    reasons.push(notApproved('a workflow run measured it, and its bundle names neither run nor approval'));
  if (approval?.state === 'waived' && unauthenticated)
    reasons.push(notApproved("a fork's pull request cannot do without an approval"));
  // On a branch an older run may be reported again; a tag, a pull request and a workflow_run stand for one commit.
  const measured = source.headCommit ?? null;
  const strict = event !== null && headCommit !== null && (ofWorkflow || !onBranch);
  if (strict && measured !== headCommit && (ofWorkflow || measured !== null)) {
    const text = `The bundle is of commit ${shortOf(measured)}, and this is the release of ${shortOf(headCommit)}. Measure that commit.`;
    reasons.push({ code: 'other_commit', text });
  }
  return reasons;
}

function shortOf(commit: unknown): string {
  return typeof commit === 'string' ? commit.slice(0, 12) : 'none that it names';
}

function notApproved(why: string): Reason {
  return { code: 'not_approved', text: `Not approved: ${why}.` };
}

async function confirm(runs: readonly RunFacts[], witness: ApprovalWitness): Promise<Confirmed> {
  if (witness.github === null) return { invalid: [], warnings: [] };
  const named = runs.flatMap(({ approval }) => (approval?.state === 'approved' ? [approval.approval] : []));
  // Shards share one; whole, since what a bundle calls its approval says nothing about the rest of it.
  const approvals = new Map(named.map((approval) => [JSON.stringify(approval), approval]));
  const invalid: Reason[] = [];
  const warnings: Reason[] = [];
  for (const approval of approvals.values()) {
    try {
      const why = await contradiction(approval, witness.github, witness);
      if (why !== null) invalid.push(notApproved(why));
      else warnings.push(...allowedByName(approval));
    } catch (error) {
      if (!(error instanceof GitHubFailure)) throw error;
      const { message, fix } = failureProblem(error);
      if (!COULD_NOT_ASK.has(error.kind)) {
        invalid.push(notApproved(`GitHub does not show what its approval names (${message})`));
        continue;
      }
      const text = `The approval could not be read again: ${message} ${fix}`;
      warnings.push({ code: 'approval_unconfirmed', text });
    }
  }
  return { invalid: uniqueReasons(invalid), warnings: uniqueReasons(warnings) };
}

/** Only the operator of the host knows whether that is so. */
function allowedByName({ excepted, actor, url }: Approval): Reason[] {
  if (excepted === undefined) return [];
  const text = `${actor ?? 'Somebody'} approved (${url}) though excluded as ${excepted.join(' and ')}: by the bundle, the operator of the host allows that by name.`;
  return [{ code: 'approver_excepted', text }];
}

/**
 * Who had a part in what is reported: the author by the event, whoever started the run that was approved by GitHub. Who
 * starts the report is nobody's business.
 */
function approversOf({ excepted = [], actor }: Approval, { payload, verb }: ApprovalWitness): Approvers {
  const { authors } = involvedIn(verb.env, payload, verb.inputs.approval.label);
  const named = (reason: Exclusion): string[] => (actor !== null && excepted.includes(reason) ? [actor] : []);
  return {
    involved: { authors, starters: [] },
    exceptions: { author: named('author'), starter: named('starter'), bot: named('bot') },
  };
}

async function contradiction(
  approval: Approval,
  github: Connection,
  witness: ApprovalWitness,
): Promise<string | null> {
  const { repository, reference, binding } = approval;
  const { facts, payload, verb } = witness;
  const here = `${github.repository.owner}/${github.repository.repo}`;
  if (repository !== here) return `its approval is of ${repository}, not of ${here}`;
  const approvers = approversOf(approval, witness);
  const place = { ...github, serverUrl: verb.env.GITHUB_SERVER_URL ?? 'https://github.com' };
  if (reference.source === 'environment') {
    const told = (facts.measuringRunId ?? Number(verb.env.GITHUB_RUN_ID)) === reference.runId;
    const knownHead = told ? facts.headCommit : null;
    return environmentContradiction(place, reference, { binding, knownHead, approvers });
  }
  if (reference.source === 'label') {
    const { label } = verb.inputs.approval;
    if (reference.label.toLowerCase() !== label.toLowerCase())
      return `its approval is the label ${reference.label}, and approval asks for ${label} here`;
    return labelContradiction(place, reference, { headCommit: binding.headCommit, approvers });
  }
  const branches = mergedInto(facts, payload);
  return planFileContradiction(place, reference, { digest: binding.planDigest, branches, approvers });
}

/** Branches that changes are merged into: the base of the pull request or the queue, and the default branch. */
function mergedInto({ pull, event, baseBranch }: EventFacts, payload: unknown): string[] {
  const standard = repositorySchema.safeParse(payload).data?.repository.default_branch ?? 'main';
  const queue = eventBase(event) === 'merge-queue' && baseBranch !== null ? [baseBranch] : [];
  return [...new Set([...(pull?.kind === 'event' ? [pull.pull.baseRef] : queue), standard])];
}
