import * as z from 'zod';
import { type Problem, problemOf } from '../errors/rb-error.ts';

interface ForkGuardRequest {
  /** Of the workflow: GITHUB_ACTIONS, GITHUB_EVENT_NAME, RUNNER_ENVIRONMENT. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The event file (GITHUB_EVENT_PATH), parsed; null when it cannot be read. */
  readonly payload: unknown;
  /** The operator of the host allows forks: `.host/allow-forks`, or the runner's own environment. */
  readonly operatorAllows: boolean;
}

/** `none`: the event is about no pull request. `unknown`: it is, but does not say whose code. */
type Relation = 'same repository' | 'fork' | 'none' | 'unknown';

interface ForkGuardResult {
  readonly relation: Relation;
  readonly selfHosted: boolean;
  /** Null when the run may go on. */
  readonly problem: Problem | null;
}

const repository = z.object({ id: z.int() });
const pullRequestEvent = z.object({
  pull_request: z.object({
    head: z.object({ repo: repository.nullish() }),
    base: z.object({ repo: repository }),
  }),
});
const workflowRunEvent = z.object({
  repository,
  workflow_run: z.object({ head_repository: repository.nullish(), event: z.string().nullish() }),
});
const commentEvent = z.object({ issue: z.object({ pull_request: z.unknown() }) });

/**
 * Whether the code under test may run on this machine. A fork's pull request is refused on a self-hosted runner:
 * whoever can open one would run code on the simulation host. GitHub's own machines are thrown away afterwards, so
 * anything may run there. Nothing in the repository can lift this, because a fork can edit every file of it.
 */
export function forkGuard(request: ForkGuardRequest): ForkGuardResult {
  const { env, payload, operatorAllows } = request;
  if (env.GITHUB_ACTIONS !== 'true') return { relation: 'none', selfHosted: false, problem: null };
  // A runner that does not say what it is counts as ours: the guard must not depend on its version.
  const selfHosted = env.RUNNER_ENVIRONMENT !== 'github-hosted';
  const event = env.GITHUB_EVENT_NAME ?? '';
  const relation = relationOf(event, payload);
  const refused = selfHosted && !operatorAllows && (relation === 'fork' || relation === 'unknown');
  return { relation, selfHosted, problem: refused ? refusal(event, relation) : null };
}

function relationOf(event: string, payload: unknown): Relation {
  if (event.startsWith('pull_request')) {
    const parsed = pullRequestEvent.safeParse(payload);
    if (!parsed.success) return 'unknown';
    const { head, base } = parsed.data.pull_request;
    // GitHub sends null for a fork that was deleted.
    return compared(head.repo?.id, base.repo.id);
  }
  if (event === 'workflow_run') {
    const parsed = workflowRunEvent.safeParse(payload);
    if (!parsed.success) return 'unknown';
    return compared(parsed.data.workflow_run.head_repository?.id, parsed.data.repository.id);
  }
  if (event === 'issue_comment') {
    const parsed = commentEvent.safeParse(payload);
    // The event of a comment does not say from which repository the pull request comes.
    return parsed.success && parsed.data.issue.pull_request ? 'unknown' : 'none';
  }
  return 'none';
}

/** Ids, not names: a fork can be renamed, and its owner too. */
function compared(head: number | undefined, base: number): Relation {
  return head === base ? 'same repository' : 'fork';
}

function refusal(event: string, relation: Relation): Problem {
  const subject =
    relation === 'fork'
      ? 'the code comes from a fork'
      : 'the event does not say whether the code comes from a fork';
  return problemOf('RB360', {
    where: `event ${event}`,
    message: `${subject}, and this runner is self-hosted.`,
    fix: `Keep such runs away from the host by a condition at the job, if: ${condition(event)}, and measure a fork's change after a maintainer pushed it to a branch of this repository. The operator of the host can allow forks by the file artifacts/rollout-bench/.host/allow-forks in the workspace, or by ROLLOUT_BENCH_ALLOW_FORKS=true in the runner's own environment.`,
    consequence: 'Anyone who can open a pull request could run code on the simulation host.',
  });
}

function condition(event: string): string {
  if (event === 'workflow_run')
    return 'github.event.workflow_run.head_repository.id == github.event.repository.id';
  if (event === 'issue_comment') return 'false, and start the run by workflow_dispatch instead';
  return 'github.event.pull_request.head.repo.id == github.event.pull_request.base.repo.id';
}
