import { describe, expect, it } from 'vitest';
import { forkGuard } from '../../../src/platform/fork-guard.ts';

const pullRequest = (head: number | null, base = 1) => ({
  pull_request: { head: { repo: head === null ? null : { id: head } }, base: { repo: { id: base } } },
});
const workflowRun = (head: number | null) => ({
  repository: { id: 1 },
  workflow_run: {
    event: 'pull_request',
    head_repository: head === null ? null : { id: head },
    pull_requests: [],
  },
});

function guard(
  event: string,
  payload: unknown,
  change: { runner?: string | undefined; operatorAllows?: boolean } = {},
) {
  const runner = 'runner' in change ? change.runner : 'self-hosted';
  return forkGuard({
    env: { GITHUB_ACTIONS: 'true', GITHUB_EVENT_NAME: event, RUNNER_ENVIRONMENT: runner },
    payload,
    operatorAllows: change.operatorAllows ?? false,
  });
}

describe('forkGuard', () => {
  it.each([
    ['a pull request of the repository', 'pull_request', pullRequest(1), 'same repository'],
    ['a workflow_run of the repository', 'workflow_run', workflowRun(1), 'same repository'],
    ['a push', 'push', { repository: { id: 1, fork: true } }, 'none'],
    ['a schedule', 'schedule', {}, 'none'],
    ['a comment on an issue', 'issue_comment', { issue: { number: 3 } }, 'none'],
  ])('lets %s run', (_case, event, payload, relation) => {
    expect(guard(event, payload)).toEqual({ relation, selfHosted: true, problem: null });
  });

  it.each([
    ['a pull request of a fork', 'pull_request', pullRequest(2), 'fork'],
    ['the same by pull_request_target', 'pull_request_target', pullRequest(2), 'fork'],
    ['one of a deleted fork', 'pull_request', pullRequest(null), 'fork'],
    ['a workflow_run for a fork', 'workflow_run', workflowRun(2), 'fork'],
    ['a workflow_run of a deleted fork', 'workflow_run', workflowRun(null), 'fork'],
    ['a pull request event that cannot be read', 'pull_request', null, 'unknown'],
    ['a comment on a pull request', 'issue_comment', { issue: { pull_request: { url: 'x' } } }, 'unknown'],
  ])('refuses %s on a self-hosted runner', (_case, event, payload, relation) => {
    const result = guard(event, payload);
    expect(result).toMatchObject({ relation, problem: { code: 'RB360', severity: 'fatal' } });
    expect(result.problem?.fix).toContain('if: ');
    expect(result.problem?.fix).toContain('allow-forks');
  });

  it('compares ids, so that a fork of the same name is still a fork', () => {
    const named = (id: number) => ({ id, full_name: 'o/r' });
    const payload = { pull_request: { head: { repo: named(2) }, base: { repo: named(1) } } };
    expect(guard('pull_request', payload).problem).not.toBeNull();
  });

  it('does not care on machines of GitHub, nor outside a workflow', () => {
    expect(guard('pull_request', pullRequest(2), { runner: 'github-hosted' }).problem).toBeNull();
    expect(forkGuard({ env: {}, payload: pullRequest(2), operatorAllows: false }).problem).toBeNull();
  });

  it('takes a runner that does not say what it is for self-hosted', () => {
    expect(guard('pull_request', pullRequest(2), { runner: undefined })).toMatchObject({
      selfHosted: true,
      problem: { code: 'RB360' },
    });
  });

  it('obeys the operator of the host', () => {
    expect(guard('pull_request', pullRequest(2), { operatorAllows: true })).toEqual({
      relation: 'fork',
      selfHosted: true,
      problem: null,
    });
  });
});
