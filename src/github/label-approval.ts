import * as z from 'zod';
import { type Approvers, forSource, standingOf, together } from '../approval/approvers.ts';
import { WhyNot } from '../base/why-not.ts';
import type { ApprovalReference, Exclusion } from '../model/approval.ts';
import type { ApprovalPlace, Reading } from './approval-sources.ts';
import type { Purpose } from './failure.ts';
import { type Push, pushesTo } from './pushes.ts';

const TALK: Purpose = {
  what: 'read who set the label',
  permissions: ['pull-requests: read', 'issues: read'],
};
const PULL: Purpose = { what: 'read the pull request', permissions: ['pull-requests: read'] };
const ROLE: Purpose = { what: 'read the role of who set the label', permissions: ['contents: read'] };

const pullSchema = z.object({
  user: z.object({ login: z.string() }).nullish(),
  head: z.object({ sha: z.string(), ref: z.string(), repo: z.object({ full_name: z.string() }).nullable() }),
  labels: z.array(z.object({ name: z.string() })),
});
type Pull = z.infer<typeof pullSchema>;

/** Of other events only what they are called and when they were is looked at; a commit has no time of GitHub's. */
const eventSchema = z.object({
  event: z.string().optional(),
  id: z.number().optional(),
  created_at: z.string().optional(),
  label: z.object({ name: z.string() }).optional(),
  actor: z.object({ login: z.string(), type: z.string().optional() }).nullish(),
});
type TimelineEvent = z.infer<typeof eventSchema>;

const roleSchema = z.object({ permission: z.string() });

/** Events by which the head of a pull request moves. Commits are not among them: where they are listed follows their own dates. */
const MOVES = ['head_ref_force_pushed', 'head_ref_restored'];
/** GitHub's page at most; a branch that was pushed to more often since is not looked through. */
const PUSHES_LOOKED_AT = 100;
const MAY_APPROVE = ['admin', 'maintain', 'write'];

interface LabelRequest {
  readonly pullRequest: number;
  readonly label: string;
  /** The commit that is going to be measured. */
  readonly headCommit: string | null;
  readonly approvers: Approvers;
}

/**
 * A label that a person with write access set on exactly this commit. When the branch was last pushed to is taken from
 * GitHub's record of pushes; the dates of commits are written by their authors and tell nothing.
 * @throws GitHubFailure
 */
export async function labelApproval(place: ApprovalPlace, request: LabelRequest): Promise<Reading> {
  const number = request.pullRequest;
  const pull = await pullOf(place, number);
  const moved = pull.head.sha === request.headCommit ? null : headMoved(pull, request);
  if (moved !== null) return { refused: moved };
  if (!pull.labels.some(({ name }) => isSame(name, request.label)))
    return { refused: `pull request #${number} does not have the label ${request.label}` };
  const set = labelEvent(await timelineOf(place, number), request.label);
  if (set instanceof WhyNot) return { refused: set.why };
  const last = await lastPush(place, pull);
  if (last instanceof WhyNot) return { refused: last.why };
  const stale = olderThan(last, set.at);
  if (stale !== null) return { refused: stale };
  const who = standingOf(set, withAuthors(request.approvers, pull, last));
  if (who.refused !== null) return { excluded: `the label ${request.label} was set by ${who.refused}` };
  return evidenceOf(place, request, { ...set, excepted: who.excepted });
}

/** Whoever opened the pull request, and whoever pushed its last commit: a maintainer's push is theirs, too. */
function withAuthors(approvers: Approvers, { user }: Pull, push: Pick<Push, 'actor'> | null): Approvers {
  const { involved, exceptions } = forSource('label', approvers);
  const authors = [user?.login, push?.actor?.login].filter((each) => each !== undefined);
  return { involved: together(involved, { authors }), exceptions };
}

function pullOf({ client, repository }: ApprovalPlace, number: number): Promise<Pull> {
  return client.request({
    route: 'GET /repos/{owner}/{repo}/pulls/{pull_number}',
    params: { ...repository, pull_number: number },
    schema: pullSchema,
    purpose: PULL,
  });
}

function timelineOf({ client, repository }: ApprovalPlace, number: number): Promise<TimelineEvent[]> {
  return client.list(
    {
      route: 'GET /repos/{owner}/{repo}/issues/{issue_number}/timeline',
      params: { ...repository, issue_number: number },
      schema: z.array(eventSchema),
      purpose: TALK,
    },
    (page) => page,
  );
}

/**
 * Why a label that approved a run is not what GitHub shows; null when it is. It may be gone by now, and the branch may have
 * moved on, but when it was set the branch stood at the commit that was measured.
 * @throws GitHubFailure
 */
export async function labelContradiction(
  place: ApprovalPlace,
  { pullRequest, eventId, label }: Extract<ApprovalReference, { source: 'label' }>,
  { headCommit, approvers }: Pick<LabelRequest, 'headCommit' | 'approvers'>,
): Promise<string | null> {
  const events = await timelineOf(place, pullRequest);
  const found = events.find(({ id, event }) => id === eventId && event === 'labeled');
  if (found?.label === undefined || found.actor == null || !isSame(found.label.name, label))
    return `the timeline of pull request #${pullRequest} does not show that the label ${label} was set`;
  const { actor, created_at: at } = found;
  const pull = await pullOf(place, pullRequest);
  const push = await stoodAt(place, pull.head, Date.parse(at ?? ''));
  const account = { login: actor.login, type: actor.type ?? null };
  const { refused } = standingOf(account, withAuthors(approvers, pull, push));
  if (refused !== null) return `the label ${label} was set by ${refused}`;
  const permission = await roleOf(place, actor.login);
  if (!MAY_APPROVE.includes(permission))
    return `the label ${label} was set by ${actor.login}, who has no write access (${permission})`;
  const stood = push?.after ?? null;
  if (stood !== null && stood === headCommit) return null;
  return `GitHub does not show that the label ${label} was set on commit ${headCommit?.slice(0, 12) ?? 'unknown'}, but on ${stood?.slice(0, 12) ?? 'an unknown one'}`;
}

/** The push by which a branch stood where it was at that time, by GitHub's record; null when it does not tell. */
async function stoodAt(place: ApprovalPlace, head: Pull['head'], atMs: number): Promise<Push | null> {
  const pushes = await pushesOf(place, head, PUSHES_LOOKED_AT);
  const before = pushes?.find(({ timestamp }) => Date.parse(timestamp) < atMs);
  // In the same second nobody can have looked at what was pushed.
  const meanwhile = pushes?.some(({ timestamp }) => Date.parse(timestamp) === atMs) ?? false;
  return meanwhile ? null : (before ?? null);
}

function headMoved({ head }: Pull, { headCommit, pullRequest }: LabelRequest): string {
  return `the head of pull request #${pullRequest} is now ${head.sha.slice(0, 12)}, this run is for ${headCommit?.slice(0, 12) ?? 'no known commit'}`;
}

interface LabelSet {
  readonly id: number;
  readonly at: string;
  readonly login: string;
  readonly type: string | null;
}

/** Who set the label last and when, or why that cannot count. Pure. */
function labelEvent(events: readonly TimelineEvent[], label: string): LabelSet | WhyNot {
  const found = events.findLast(
    ({ event, label: named }) =>
      (event === 'labeled' || event === 'unlabeled') && named !== undefined && isSame(named.name, label),
  );
  if (found === undefined || found.event !== 'labeled')
    return new WhyNot(`the timeline does not show who set the label ${label}`);
  const { id, created_at: at, actor } = found;
  if (id === undefined || at === undefined || actor == null || Number.isNaN(Date.parse(at)))
    return new WhyNot(`GitHub does not say who set the label ${label}, or when`);
  const later = events.filter((event) => isMoveAfter(event, at));
  if (later.length > 0)
    return new WhyNot(
      `the label ${label} is older than the last push: set it again after looking at what was pushed`,
    );
  return { id, at, login: actor.login, type: actor.type ?? null };
}

function isMoveAfter({ event, created_at: at }: TimelineEvent, label: string): boolean {
  return (
    event !== undefined && MOVES.includes(event) && at !== undefined && Date.parse(at) >= Date.parse(label)
  );
}

/** The push that brought the present head, or why nobody can tell. */
async function lastPush(place: ApprovalPlace, { head }: Pull): Promise<Push | WhyNot> {
  const pushes = await pushesOf(place, head, 10);
  if (pushes === null) return new WhyNot('the repository that the pull request comes from is gone');
  const [last] = pushes;
  return last?.after === head.sha
    ? last
    : new WhyNot('GitHub does not show yet when the branch was last pushed to: try again in a minute');
}

/** Why the label cannot be newer than that push; null when it is. Pure. */
function olderThan({ timestamp }: Push, labelled: string): string | null {
  // In the same second nobody can have looked at what was pushed.
  if (Date.parse(timestamp) < Date.parse(labelled)) return null;
  return `the label is older than the last push (${timestamp}): set it again after looking at what was pushed`;
}

/** Newest first; null when the repository is gone. */
async function pushesOf(
  { client }: ApprovalPlace,
  head: Pull['head'],
  count: number,
): Promise<readonly Push[] | null> {
  if (head.repo === null) return null;
  return pushesTo(client, { repository: head.repo.full_name, branch: head.ref, count });
}

async function evidenceOf(
  place: ApprovalPlace,
  { pullRequest, label }: LabelRequest,
  { id, at, login, excepted }: LabelSet & { readonly excepted: readonly Exclusion[] },
): Promise<Reading> {
  const { repository } = place;
  const permission = await roleOf(place, login);
  if (!MAY_APPROVE.includes(permission))
    return { refused: `the label ${label} was set by ${login}, who has no write access (${permission})` };
  const name = `${repository.owner}/${repository.repo}`;
  return {
    evidence: {
      repository: name,
      reference: { source: 'label', pullRequest, eventId: id, label },
      actor: login,
      permission,
      at,
      url: `${place.serverUrl}/${name}/pull/${pullRequest}`,
      comment: null,
      ...(excepted.length === 0 ? {} : { excepted: [...excepted] }),
    },
  };
}

async function roleOf({ client, repository }: ApprovalPlace, login: string): Promise<string> {
  const { permission } = await client.request({
    route: 'GET /repos/{owner}/{repo}/collaborators/{username}/permission',
    params: { ...repository, username: login },
    schema: roleSchema,
    purpose: ROLE,
  });
  return permission;
}

/** GitHub's labels do not tell upper from lower case. */
function isSame(left: string, right: string): boolean {
  return left.toLowerCase() === right.toLowerCase();
}
