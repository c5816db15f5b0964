/** Events of acme/robots as GitHub writes them for a job, reduced to the fields that anything may rely on. */

export const REPOSITORY = 'acme/robots';
const REPOSITORY_ID = 1;
const FORK_ID = 2;

export interface JobEvent {
  readonly name: string;
  readonly payload: unknown;
  /** What the runner derives from the event. */
  readonly env: Readonly<Record<string, string>>;
}

const repository = {
  id: REPOSITORY_ID,
  name: 'robots',
  full_name: REPOSITORY,
  owner: { login: 'acme' },
  private: true,
  default_branch: 'main',
};

export interface Pull {
  readonly number: number;
  readonly headSha: string;
  readonly fork: boolean;
  /** Where its branch goes; left out: a commit that nobody has. */
  readonly baseSha?: string;
}

const BASE_SHA = 'c'.repeat(40);
const MERGE_SHA = 'd'.repeat(40);

const headRepo = ({ fork }: Pull) =>
  fork ? { id: FORK_ID, full_name: 'stranger/robots' } : { id: REPOSITORY_ID, full_name: REPOSITORY };

export function pullRequestEvent(pull: Pull): JobEvent {
  const { number, headSha, baseSha = BASE_SHA } = pull;
  return {
    name: 'pull_request',
    payload: {
      action: 'synchronize',
      number,
      pull_request: {
        number,
        state: 'open',
        head: { sha: headSha, ref: 'faster', repo: headRepo(pull) },
        base: { sha: baseSha, ref: 'main', repo: { id: REPOSITORY_ID, full_name: REPOSITORY } },
      },
      repository,
    },
    env: {
      GITHUB_REF: `refs/pull/${number}/merge`,
      GITHUB_SHA: MERGE_SHA,
      GITHUB_BASE_REF: 'main',
      GITHUB_HEAD_REF: 'faster',
    },
  };
}

/** The pull request as GitHub's API shows it. */
export function storedPull(pull: Pull) {
  const repo = headRepo(pull);
  return {
    number: pull.number,
    state: 'open' as const,
    headSha: pull.headSha,
    headRef: 'faster',
    headRepoId: repo.id,
    headRepo: repo.full_name,
    baseSha: pull.baseSha ?? BASE_SHA,
    baseRef: 'main',
    baseRepoId: REPOSITORY_ID,
    baseRepo: REPOSITORY,
  };
}

/** The event that a label starts, as somebody sets it. */
export function labeledEvent(pull: Pull, label: string): JobEvent {
  const event = pullRequestEvent(pull);
  // Built just above, as an object.
  const payload = event.payload as Record<string, unknown>;
  return { ...event, payload: { ...payload, action: 'labeled', label: { name: label } } };
}

/** Two pull requests of a merge queue before `main`, as GitHub checks them together. */
export function mergeGroupEvent(sha: string, baseSha = BASE_SHA): JobEvent {
  const ref = `refs/heads/gh-readonly-queue/main/pr-9-${baseSha}`;
  return {
    name: 'merge_group',
    payload: {
      action: 'checks_requested',
      merge_group: { head_sha: sha, head_ref: ref, base_sha: baseSha, base_ref: 'refs/heads/main' },
      repository,
    },
    env: { GITHUB_REF: ref, GITHUB_SHA: sha },
  };
}

export function scheduleEvent(sha: string): JobEvent {
  return {
    name: 'schedule',
    payload: { schedule: '0 2 * * *', repository },
    env: { GITHUB_REF: 'refs/heads/main', GITHUB_SHA: sha },
  };
}

export function dispatchEvent(sha: string): JobEvent {
  return {
    name: 'workflow_dispatch',
    payload: { ref: 'refs/heads/main', inputs: {}, repository },
    env: { GITHUB_REF: 'refs/heads/main', GITHUB_SHA: sha },
  };
}

export function tagEvent(tag: string, sha: string): JobEvent {
  return {
    name: 'push',
    payload: { ref: `refs/tags/${tag}`, after: sha, repository },
    env: { GITHUB_REF: `refs/tags/${tag}`, GITHUB_REF_TYPE: 'tag', GITHUB_REF_NAME: tag, GITHUB_SHA: sha },
  };
}

/** `workflow_run` after a pull request's measuring run has ended: it runs on the default branch, with its token. */
export function workflowRunEvent(runId: number, pull: Pull): JobEvent {
  return {
    name: 'workflow_run',
    payload: {
      action: 'completed',
      workflow_run: {
        id: runId,
        run_attempt: 1,
        event: 'pull_request',
        conclusion: 'success',
        head_sha: pull.headSha,
        head_branch: 'faster',
        head_repository: headRepo(pull),
        // Empty for a fork, as GitHub leaves it.
        pull_requests: [],
      },
      repository,
    },
    env: { GITHUB_REF: 'refs/heads/main', GITHUB_SHA: BASE_SHA },
  };
}
