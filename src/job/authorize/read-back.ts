import * as z from 'zod';
import { together } from '../../approval/approvers.ts';
import { EXIT, type Problem, problemOf, RbError } from '../../errors/rb-error.ts';
import { type ApprovalPlace, environmentApproval, type Reading } from '../../github/approval-sources.ts';
import { earlierStarts } from '../../github/earlier-starts.ts';
import { failureProblem, GitHubFailure, permissionYaml } from '../../github/failure.ts';
import { labelApproval } from '../../github/label-approval.ts';
import { planFileApproval } from '../../github/plan-file-approval.ts';
import { pullAuthors } from '../../github/pull-author.ts';
import { type Approval, type ApprovalSource, type Binding, bind } from '../../model/approval.ts';
import { planDigest } from '../../plan/make-plan.ts';
import { type Connection, connectTo } from '../connection.ts';
import { readEvent } from '../read-event.ts';
import type { VerbContext } from '../verb.ts';
import { approversOf, type PlannedRun } from './question.ts';

const baseSchema = z.object({
  repository: z.object({ default_branch: z.string() }).optional(),
  pull_request: z.object({ base: z.object({ ref: z.string() }) }).optional(),
  merge_group: z.object({ base_ref: z.string(), head_ref: z.string().optional() }).optional(),
});

/** The branch that GitHub makes for a merge queue names the last pull request in it. */
const QUEUED_PULL = /\/pr-([1-9]\d{0,9})-[0-9a-f]{40}$/;

const CODES = { environment: 'RB840', label: 'RB841', 'plan-file': 'RB842' } as const;

/** The token of a job, or GITHUB_TOKEN and GITHUB_REPOSITORY of a terminal; null without one. */
export function approvalConnection(verb: VerbContext): Connection | null {
  const { inputs, env } = verb;
  return connectTo(verb, inputs.githubToken ?? env.GITHUB_TOKEN ?? null, env.GITHUB_REPOSITORY ?? null);
}

interface ReadBackRequest {
  readonly run: PlannedRun;
  readonly binding: Binding;
  readonly connection: Connection;
  readonly sources: readonly ApprovalSource[];
  readonly now: number;
  /** What was read before on this host, whose ledger says what became of it. */
  readonly known: readonly Approval[];
}

/**
 * Asks GitHub for an approval of a plan, source by source; the first that has one counts.
 * @throws RbError RB385, RB840 to RB843 (exit 3), why none of them has
 */
export async function readBack(request: ReadBackRequest): Promise<Approval> {
  const { run, binding, connection, now } = request;
  const serverUrl = run.env.GITHUB_SERVER_URL ?? 'https://github.com';
  const place: ApprovalPlace = { ...connection, serverUrl };
  const problems: Problem[] = [];
  for (const source of possible(request.sources, run)) {
    const found = await reading(source, place, run);
    if ('evidence' in found) {
      const approval = bind(found.evidence, run.plan.suite, binding, new Date(now).toISOString());
      const spent = request.known.some(({ id }) => id === approval.id)
        ? null
        : await spentElsewhere(approval, place, run);
      if (spent === null) return approval;
      problems.push(spent);
      continue;
    }
    if ('problem' in found) problems.push(found.problem);
    else if ('excluded' in found) problems.push(mayNot(source, found.excluded));
    else problems.push(refusal(source, found.refused));
  }
  throw new RbError(EXIT.refused, problems);
}

/** What there can be for this run: of several sources only those are asked, a pull request's label first. */
function possible(
  sources: readonly ApprovalSource[],
  { context, inputs }: PlannedRun,
): readonly ApprovalSource[] {
  const ofPull = context.pullRequest !== null || inputs.prNumber !== null;
  const can: Readonly<Record<ApprovalSource, boolean>> = {
    label: ofPull,
    environment: context.githubRunId !== null,
    'plan-file': inputs.approval.planFile !== null,
  };
  const found = (['label', 'environment', 'plan-file'] as const).filter(
    (source) => sources.includes(source) && can[source],
  );
  return found.length === 0 ? sources : found;
}

/**
 * Why an approval that this host has never seen is used, by what GitHub shows: a job that waits for an environment takes
 * one review at each start. Null: it is not, or nobody can tell.
 */
async function spentElsewhere(
  { reference, url }: Approval,
  place: ApprovalPlace,
  { context, env }: PlannedRun,
): Promise<Problem | null> {
  if (reference.source !== 'environment' || context.runAttempt === null) return null;
  const { runId, environment, ordinal } = reference;
  const here = { runId, attempt: context.runAttempt, runner: env.RUNNER_NAME ?? null };
  try {
    const starts = await earlierStarts(place, here);
    if (starts < ordinal) return null;
    const times = starts === 1 ? 'once' : `${starts} times`;
    const message = `GitHub shows ${ordinal === 1 ? 'one approval' : `${ordinal} approvals`} of the environment ${environment}, and that this job was started ${times} before in workflow run ${runId}: an earlier start has it.`;
    return problemOf('RB388', {
      where: 'approval by environment',
      message,
      value: url,
    });
  } catch (error) {
    if (!(error instanceof GitHubFailure)) throw error;
    return unreadable(error);
  }
}

async function reading(
  source: ApprovalSource,
  place: ApprovalPlace,
  run: PlannedRun,
): Promise<Reading | { readonly problem: Problem }> {
  try {
    return await readingOf(source, place, run);
  } catch (error) {
    if (!(error instanceof GitHubFailure)) throw error;
    return { problem: unreadable(error) };
  }
}

async function readingOf(source: ApprovalSource, place: ApprovalPlace, run: PlannedRun): Promise<Reading> {
  const { plan, inputs, context, env } = run;
  const payload = baseSchema.safeParse((await readEvent(env)) ?? {}).data;
  const known = await approversOf(run);
  // A label is looked up at its pull request in any case.
  const number = source === 'label' ? null : numberOnly(run, payload?.merge_group);
  const approvers =
    number === null
      ? known
      : { ...known, involved: together(known.involved, { authors: await pullAuthors(place, number) }) };
  if (source === 'environment') {
    const runId = Number(context.githubRunId);
    if (context.githubRunId === null || !Number.isSafeInteger(runId))
      return { refused: 'this is no workflow run, so no environment was reviewed' };
    const environment = inputs.approval.environment;
    const asked = { runId, attempt: context.runAttempt, environment, planDigest: planDigest(plan) };
    return environmentApproval(place, { ...asked, approvers });
  }
  if (source === 'label') {
    const pullRequest = context.pullRequest ?? inputs.prNumber;
    if (pullRequest === null) return { refused: 'this run is for no pull request, so none can have a label' };
    const { headCommit } = context;
    return labelApproval(place, { pullRequest, label: inputs.approval.label, headCommit, approvers });
  }
  const { planFile } = inputs.approval;
  if (planFile === null) return { refused: 'approval names no plan-file' };
  const queue = payload?.merge_group?.base_ref.replace(/^refs\/heads\//, '');
  const branch = payload?.pull_request?.base.ref ?? queue ?? payload?.repository?.default_branch ?? 'main';
  // Whoever is under test would accept for themselves.
  const underTest = context.pullRequest !== null || payload?.merge_group !== undefined;
  const accepted = underTest ? [] : (inputs.acceptPins ?? []);
  const observed = await run.pins();
  return planFileApproval(place, { path: planFile, branch, plan, observed, accepted, approvers });
}

/** A pull request that is measured by its number alone: its event does not tell who opened it. Null: none. */
function numberOnly(
  { context, inputs }: PlannedRun,
  queued: { readonly head_ref?: string | undefined } | undefined,
): number | null {
  if (context.pullRequest !== null) return null;
  const number = Number(QUEUED_PULL.exec(queued?.head_ref ?? '')?.[1]);
  return Number.isSafeInteger(number) ? number : inputs.prNumber;
}

const FIXES: Readonly<Record<ApprovalSource, string>> = {
  environment:
    'Give the job an `environment:` with required reviewers, and let one of them approve; docs/approval.md shows how.',
  label: 'Let somebody with write access look at the pull request and set the label (again).',
  'plan-file':
    'Merge the plan into the base branch, as `rollout-bench plan --out` writes it with the inputs of this run.',
};

function refusal(source: ApprovalSource, why: string): Problem {
  return {
    code: CODES[source],
    where: `approval by ${source}`,
    message: `${why}.`,
    fix: FIXES[source],
    severity: 'fatal',
  };
}

/** The yes is there, and it is nobody's who may give it. */
function mayNot(source: ApprovalSource, why: string): Problem {
  return problemOf('RB385', {
    where: `approval by ${source}`,
    message: `${why}.`,
    fix: `Let another person approve: ${FIXES[source]} The operator of the host may allow an account by name under may-approve in .host/approval.yml.`,
  });
}

function unreadable(failure: GitHubFailure): Problem {
  const { message } = failureProblem(failure);
  const yaml = failure.purpose.permissions.map(permissionYaml)[0] ?? '';
  return problemOf('RB843', {
    where: 'GitHub',
    message,
    fix: `The token needs \`${failure.purpose.permissions.join('` or `')}\`. Add to the job:\n${yaml}`,
  });
}
