import { describe, expect, it } from 'vitest';
import { eventFacts } from '../../../src/app/report/event-facts.ts';
import { runContext } from '../../../src/platform/run-context.ts';

const SHA = 'a'.repeat(40);
const repository = { id: 1, private: true, default_branch: 'main' };

const factsOf = (event: string, ref: string, payload: object = { repository }) =>
  eventFacts({
    context: runContext(
      { GITHUB_ACTIONS: 'true', GITHUB_EVENT_NAME: event, GITHUB_REF: ref, GITHUB_SHA: SHA },
      payload,
    ),
    payload,
    baseRef: 'main',
    prNumber: null,
    claimed: { pullRequest: null, headCommit: null },
  });

const workflowRun = (event: string, headRepository: number) =>
  factsOf('workflow_run', 'refs/heads/main', {
    repository,
    workflow_run: {
      id: 5,
      head_sha: SHA,
      head_branch: 'night',
      event,
      head_repository: { id: headRepository },
    },
  });

describe('which branch a measurement belongs to', () => {
  it('is the branch that was pushed to, and its own baseline', () => {
    expect(factsOf('push', 'refs/heads/next')).toMatchObject({
      branch: 'next',
      onBranch: true,
      baseBranch: 'next',
    });
  });

  it('is none for a tag, which is compared with the default branch', () => {
    expect(factsOf('push', 'refs/tags/v1')).toMatchObject({
      branch: 'tags/v1',
      onBranch: false,
      baseBranch: 'main',
    });
  });

  it('is none for a pull request, which is compared with its base', () => {
    const repo = { id: 1 };
    const pull_request = {
      number: 7,
      state: 'open',
      head: { sha: SHA, ref: 'x', repo },
      base: { sha: SHA, ref: 'main', repo },
    };
    expect(factsOf('pull_request', 'refs/pull/7/merge', { repository, pull_request })).toMatchObject({
      branch: 'pull/7',
      onBranch: false,
      baseBranch: 'main',
      unauthenticated: false,
    });
  });

  it('is that of the measuring run after a workflow_run', () => {
    expect(workflowRun('schedule', 1)).toMatchObject({
      branch: 'night',
      onBranch: true,
      baseBranch: 'night',
    });
    expect(workflowRun('pull_request', 1)).toMatchObject({
      branch: null,
      onBranch: false,
      baseBranch: 'main',
    });
  });

  it('is nobody when the payload of a workflow_run says nothing', () => {
    expect(factsOf('workflow_run', 'refs/heads/main', {})).toMatchObject({
      branch: null,
      onBranch: false,
      unauthenticated: true,
    });
  });
});

it('takes the code of a fork as that of strangers', () => {
  expect(workflowRun('pull_request', 2).unauthenticated).toBe(true);
  expect(workflowRun('pull_request', 1).unauthenticated).toBe(false);
});
