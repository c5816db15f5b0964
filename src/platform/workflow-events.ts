/**
 * What a measurement is compared with, and whether its ref has a course of its own, by the event that started it.
 *
 * - `own-branch`: the branch that the event names; a tag is compared with the default branch.
 * - `pull-request`: the branch that the pull request goes to.
 * - `merge-queue`: the branch that the queue merges into. The ref is gone when the queue is through.
 * - `published`: a tag or a commit that is released or deployed; compared with the default branch.
 * - `default-branch`: the event is about something else than code and runs on the default branch.
 * - `measuring-run`: as the event of the run that measured.
 * - `none`: nothing to compare with.
 */
export type EventBase =
  | 'own-branch'
  | 'pull-request'
  | 'merge-queue'
  | 'published'
  | 'default-branch'
  | 'measuring-run'
  | 'none';

/** Every event that can start a workflow (GitHub's page "Events that trigger workflows", and its older events). */
export const WORKFLOW_EVENTS = {
  branch_protection_rule: 'default-branch',
  check_run: 'default-branch',
  check_suite: 'default-branch',
  create: 'own-branch',
  delete: 'default-branch',
  deployment: 'published',
  deployment_status: 'published',
  discussion: 'default-branch',
  discussion_comment: 'default-branch',
  fork: 'default-branch',
  gollum: 'default-branch',
  image_version: 'default-branch',
  issue_comment: 'default-branch',
  issues: 'default-branch',
  label: 'default-branch',
  merge_group: 'merge-queue',
  milestone: 'default-branch',
  page_build: 'default-branch',
  project: 'default-branch',
  project_card: 'default-branch',
  project_column: 'default-branch',
  public: 'default-branch',
  pull_request: 'pull-request',
  // Never sent; comments on a pull request come as issue_comment.
  pull_request_comment: 'none',
  pull_request_review: 'pull-request',
  pull_request_review_comment: 'pull-request',
  pull_request_target: 'pull-request',
  push: 'own-branch',
  registry_package: 'published',
  release: 'published',
  repository_dispatch: 'own-branch',
  schedule: 'own-branch',
  status: 'default-branch',
  watch: 'default-branch',
  // A called workflow runs under the event of its caller.
  workflow_call: 'none',
  workflow_dispatch: 'own-branch',
  workflow_run: 'measuring-run',
} as const satisfies Readonly<Record<string, EventBase>>;

/** Null for an event that this version does not know. */
export function eventBase(event: string | null): EventBase | null {
  const known: Readonly<Record<string, EventBase>> = WORKFLOW_EVENTS;
  return event !== null && Object.hasOwn(known, event) ? (known[event] ?? null) : null;
}

const QUEUE_PREFIX = 'gh-readonly-queue/';

/**
 * Whether a branch is one of a merge queue, which lives for one check: `gh-readonly-queue/<target>/pr-<n>-<commit>`.
 * Null when it is none; `target` is null when the name does not say where the queue merges into.
 */
export function queueBranch(branch: string): { readonly target: string | null } | null {
  if (!branch.startsWith(QUEUE_PREFIX)) return null;
  return { target: /^gh-readonly-queue\/(.+)\/pr-\d+-[0-9a-f]{7,64}$/.exec(branch)?.[1] ?? null };
}
