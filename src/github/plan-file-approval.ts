import * as z from 'zod';
import { type Approvers, standingOf } from '../approval/approvers.ts';
import { WhyNot } from '../base/why-not.ts';
import { differencesText, planDifferences } from '../inputs/plan-differences.ts';
import type { ApprovalReference } from '../model/approval.ts';
import type { Pin } from '../model/pins.ts';
import type { Plan } from '../model/plan.ts';
import { planDigest } from '../plan/make-plan.ts';
import { type PinDifference, type PinnedField, pinDifferences } from '../plan/pinned-fields.ts';
import { MAX_PLAN_FILE_BYTES, pinnedPlansIn, plansIn } from '../plan/plan-file.ts';
import type { ApprovalPlace, Reading } from './approval-sources.ts';
import type { Purpose } from './failure.ts';
import { whoMerged } from './who-merged.ts';

const PURPOSE: Purpose = { what: 'read the approved plan', permissions: ['contents: read'] };

const branchSchema = z.object({
  commit: z.object({ sha: z.string(), commit: z.object({ tree: z.object({ sha: z.string() }) }) }),
  protected: z.boolean(),
});
const treeSchema = z.object({
  tree: z.array(
    z.object({ path: z.string(), mode: z.string(), sha: z.string(), size: z.number().optional() }).partial(),
  ),
});
const blobSchema = z.object({ content: z.string(), encoding: z.literal('base64') });
/** A link would be a file that somebody else's merge can change. */
const PLAIN_FILE = ['100644', '100755'];
const FOLDER = '040000';

export interface PlanFileRequest {
  /** Inside the repository. */
  readonly path: string;
  /** The branch that changes are merged into; never the one under test. */
  readonly branch: string;
  readonly plan: Plan;
  /** What is observed of everything that a plan file pins. */
  readonly observed: readonly Pin[];
  /** Pins that may differ, by name. */
  readonly accepted: readonly PinnedField[];
  readonly approvers: Approvers;
}

/**
 * A plan that was merged into the base branch and is, field by field, the one to be run.
 * @throws GitHubFailure
 */
export async function planFileApproval(place: ApprovalPlace, request: PlanFileRequest): Promise<Reading> {
  const { client, repository } = place;
  const { branch } = request;
  // However it is written: the name of the right has the path in it.
  const path = segmentsOf(request.path).join('/');
  const tip = await client.request({
    route: 'GET /repos/{owner}/{repo}/branches/{branch}',
    params: { ...repository, branch },
    schema: branchSchema,
    purpose: PURPOSE,
  });
  const file = await fileAt(place, path, tip.commit.commit.tree.sha);
  if (file === null) return { refused: `${path} is not on ${branch}` };
  const read = pinnedPlansIn(file.text);
  if (read instanceof WhyNot) return { refused: `${path} on ${branch} is no plan: ${read.why}` };
  const approved = read.find(({ plan }) => plan.suite === request.plan.suite);
  if (approved === undefined)
    return { refused: `${path} on ${branch} holds no plan of ${request.plan.suite}` };
  const differences = planDifferences(approved.plan, request.plan);
  if (differences.length > 0)
    return { refused: `${path} on ${branch} is another plan: ${differencesText(differences)}` };
  const pins = pinDifferences(approved.pins, request.observed).filter(
    ({ field }) => !request.accepted.includes(field),
  );
  if (pins.length > 0) return { refused: otherPins(`${path} on ${branch}`, pins) };
  const merged = await whoMerged({ client, repository, branch, path, tip: tip.commit.sha });
  if (merged === null)
    return { excluded: `GitHub's record of pushes to ${branch} does not tell who brought ${path} there` };
  const { refused, excepted } = standingOf(merged, request.approvers);
  if (refused !== null) return { excluded: `${path} was brought to ${branch} by ${refused}` };
  const name = `${repository.owner}/${repository.repo}`;
  return {
    evidence: {
      repository: name,
      reference: {
        source: 'plan-file',
        path,
        branch,
        commit: tip.commit.sha,
        blob: file.sha,
        protected: tip.protected,
      },
      actor: merged.login,
      permission: null,
      at: null,
      url: `${place.serverUrl}/${name}/blob/${tip.commit.sha}/${path}`,
      comment: null,
      ...(excepted.length === 0 ? {} : { excepted: [...excepted] }),
    },
  };
}

function otherPins(where: string, pins: readonly PinDifference[]): string {
  const fields = [...new Set(pins.map(({ field }) => field))].join(', ');
  const texts = differencesText(pins.map(({ text }) => text));
  return `${where} was made with something else: ${texts}; merge a new one, or outside of pull requests accept them with accept-pins: ${fields}`;
}

function segmentsOf(path: string): string[] {
  return path.split('/').filter((part) => part !== '' && part !== '.');
}

/** Folder by folder from the branch's own tree: no link is followed. Null when there is no such plain file. */
async function fileAt(
  place: ApprovalPlace,
  path: string,
  tree: string,
): Promise<{ readonly sha: string; readonly text: string } | null> {
  const { client, repository } = place;
  const segments = segmentsOf(path);
  let at = tree;
  for (const [index, segment] of segments.entries()) {
    const listing = await client.request({
      route: 'GET /repos/{owner}/{repo}/git/trees/{tree_sha}',
      params: { ...repository, tree_sha: at },
      schema: treeSchema,
      purpose: PURPOSE,
    });
    const wanted = index === segments.length - 1 ? PLAIN_FILE : [FOLDER];
    const entry = listing.tree.find((each) => each.path === segment && wanted.includes(each.mode ?? ''));
    if (entry?.sha === undefined) return null;
    if ((entry.size ?? 0) > MAX_PLAN_FILE_BYTES) return { sha: entry.sha, text: '' };
    at = entry.sha;
  }
  const blob = await client.request({
    route: 'GET /repos/{owner}/{repo}/git/blobs/{file_sha}',
    params: { ...repository, file_sha: at },
    schema: blobSchema,
    purpose: PURPOSE,
  });
  return { sha: at, text: Buffer.from(blob.content, 'base64').toString('utf8') };
}

const commitSchema = z.object({ tree: z.object({ sha: z.string() }) });
const compareSchema = z.object({ status: z.string() });

/** What was measured under a plan on a branch. */
interface MergedPlan {
  /** Of the measured plan. */
  readonly digest: string;
  /** Branches that changes are merged into, by the event alone: what a bundle names may be anybody's. */
  readonly branches: readonly string[];
  readonly approvers: Approvers;
}

/**
 * Why a plan that approved a run is not what the branch's history shows; null when it is. The branch may have moved on.
 * @throws GitHubFailure
 */
export async function planFileContradiction(
  place: ApprovalPlace,
  { path, branch, commit, blob }: Extract<ApprovalReference, { source: 'plan-file' }>,
  { digest, branches, approvers }: MergedPlan,
): Promise<string | null> {
  const { client, repository } = place;
  // Whoever may push to any other branch is nobody who approves.
  if (!branches.includes(branch))
    return `the plan is on ${branch}, and only one on ${branches.join(' or ') || 'a base branch'} counts`;
  const compared = await client.request({
    route: 'GET /repos/{owner}/{repo}/compare/{base}...{head}',
    params: { ...repository, base: commit, head: branch },
    schema: compareSchema,
    purpose: PURPOSE,
  });
  if (compared.status !== 'ahead' && compared.status !== 'identical')
    return `commit ${commit.slice(0, 12)} is not on ${branch}`;
  const { tree } = await client.request({
    route: 'GET /repos/{owner}/{repo}/git/commits/{commit_sha}',
    params: { ...repository, commit_sha: commit },
    schema: commitSchema,
    purpose: PURPOSE,
  });
  const file = await fileAt(place, path, tree.sha);
  if (file?.sha !== blob) return `${path} at ${commit.slice(0, 12)} is another file`;
  const plans = plansIn(file.text);
  const approved = !(plans instanceof WhyNot) && plans.some((plan) => planDigest(plan) === digest);
  if (!approved) return `${path} at ${commit.slice(0, 12)} is another plan`;
  const merged = await whoMerged({ client, repository, branch, path, tip: commit });
  // The record may have moved on by now: what it told when the plan was read stands in the bundle.
  const refused = merged === null ? null : standingOf(merged, approvers).refused;
  return refused === null ? null : `${path} was brought to ${branch} by ${refused}`;
}
