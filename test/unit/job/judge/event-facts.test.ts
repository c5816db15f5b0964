import { describe, expect, it } from 'vitest';
import { eventFacts, eventNotes } from '../../../../src/job/judge/event-facts.ts';
import { forkGuard } from '../../../../src/platform/fork-guard.ts';
import { purposeOf, runContext } from '../../../../src/platform/run-context.ts';
import { WORKFLOW_EVENTS } from '../../../../src/platform/workflow-events.ts';

const SHA = 'a'.repeat(40);
const repository = { id: 1, private: true, default_branch: 'main' };

const factsOf = (event: string, ref: string, payload: object = { repository }) =>
  eventFacts({
    context: runContext(
      { GITHUB_ACTIONS: 'true', GITHUB_EVENT_NAME: event, GITHUB_REF: ref, GITHUB_SHA: SHA },
      payload,
    ),
    payload,
    prNumber: null,
    claimed: { pullRequest: null, headCommit: null },
  });

const workflowRun = (event: string, headRepository: number, headBranch = 'night') =>
  factsOf('workflow_run', 'refs/heads/main', {
    repository,
    workflow_run: {
      id: 5,
      head_sha: SHA,
      head_branch: headBranch,
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

const QUEUE = `gh-readonly-queue/release/2/pr-7-${'b'.repeat(40)}`;
const mergeGroup = {
  action: 'checks_requested',
  merge_group: {
    head_sha: 'c'.repeat(40),
    head_ref: `refs/heads/${QUEUE}`,
    base_sha: 'd'.repeat(40),
    base_ref: 'refs/heads/release/2',
  },
  repository,
};
const IN_QUEUE = { branch: null, onBranch: false, baseBranch: 'release/2', unauthenticated: false };

describe('a merge queue', () => {
  it('is compared with the branch that it merges into, and leaves nothing in the history', () => {
    expect(factsOf('merge_group', `refs/heads/${QUEUE}`, mergeGroup)).toMatchObject({
      ...IN_QUEUE,
      headCommit: 'c'.repeat(40),
      pull: null,
    });
  });

  it.each(['push', 'workflow_dispatch', 'create'])('is the same to a %s of its branch', (event) => {
    expect(factsOf(event, `refs/heads/${QUEUE}`)).toMatchObject(IN_QUEUE);
  });

  it.each(['merge_group', 'push'])('is the same to a workflow_run after a %s', (event) => {
    expect(workflowRun(event, 1, QUEUE)).toMatchObject(IN_QUEUE);
    expect(workflowRun(event, 1, QUEUE).maybeTag).toBeUndefined();
  });

  it('is known by its branch when the payload is cut, and by nothing else', () => {
    expect(factsOf('merge_group', `refs/heads/${QUEUE}`, {})).toMatchObject(IN_QUEUE);
    expect(factsOf('push', 'refs/heads/gh-readonly-queue/odd')).toMatchObject({
      branch: null,
      onBranch: false,
      baseBranch: null,
    });
  });

  it('is judged by the rules of the commit before it, and names no fork: who lets in, vouches', () => {
    const env = { GITHUB_ACTIONS: 'true', GITHUB_EVENT_NAME: 'merge_group', GITHUB_SHA: SHA };
    expect(runContext(env, mergeGroup)).toMatchObject({
      headCommit: 'c'.repeat(40),
      baseCommit: 'd'.repeat(40),
      pullRequest: null,
    });
    expect(forkGuard({ env, payload: mergeGroup, operatorAllows: false })).toMatchObject({
      relation: 'none',
      problem: null,
    });
  });

  it('lends its commits to no other event', () => {
    const env = { GITHUB_ACTIONS: 'true', GITHUB_EVENT_NAME: 'push', GITHUB_SHA: SHA };
    expect(runContext(env, mergeGroup)).toMatchObject({ headCommit: SHA, baseCommit: null });
  });
});

/** GitHub's page "Events that trigger workflows", and what its own workflow parser takes beside it. */
const DOCUMENTED =
  `branch_protection_rule check_run check_suite create delete deployment deployment_status discussion
  discussion_comment fork gollum image_version issue_comment issues label merge_group milestone page_build project
  project_card project_column public pull_request pull_request_comment pull_request_review pull_request_review_comment
  pull_request_target push registry_package release repository_dispatch schedule status watch workflow_call
  workflow_dispatch workflow_run`.split(/\s+/);

const EVENT_PAYLOAD = {
  repository,
  merge_group: mergeGroup.merge_group,
  pull_request: {
    number: 7,
    state: 'open',
    head: { sha: SHA, ref: 'x', repo: { id: 1 } },
    base: { sha: SHA, ref: 'release-2', repo: { id: 1 } },
  },
  workflow_run: { id: 5, head_sha: SHA, head_branch: 'main', event: 'push', head_repository: { id: 1 } },
};

describe('every event that can start a workflow', () => {
  it('has its row', () => {
    expect(Object.keys(WORKFLOW_EVENTS).toSorted()).toEqual(DOCUMENTED.toSorted());
  });

  it.each(DOCUMENTED)('is compared with a branch, or says that there is none: %s', (event) => {
    const facts = factsOf(event, 'refs/heads/main', EVENT_PAYLOAD);
    const { noBase, notKept } = eventNotes(facts);
    expect(facts.baseBranch === null).toBe(noBase !== null);
    expect(facts.branch === null).toBe(notKept !== null);
    if (facts.onBranch) expect(facts.branch).toBe(facts.baseBranch);
  });

  it.each(DOCUMENTED.filter((event) => event.startsWith('pull_request') && event !== 'pull_request_comment'))(
    'of a pull request goes to its base and is for it, whatever the ref: %s',
    (event) => {
      const env = { GITHUB_ACTIONS: 'true', GITHUB_EVENT_NAME: event, GITHUB_REF: 'refs/heads/main' };
      expect(factsOf(event, 'refs/heads/main', EVENT_PAYLOAD)).toMatchObject({
        branch: 'pull/7',
        onBranch: false,
        baseBranch: 'release-2',
      });
      expect(purposeOf(runContext(env, EVENT_PAYLOAD))).toBe('pr');
    },
  );

  it('keeps what is about something else than the code out of the history of a branch', () => {
    for (const event of ['issue_comment', 'deployment', 'status'])
      expect(factsOf(event, 'refs/heads/main')).toMatchObject({ branch: null, baseBranch: 'main' });
  });

  it('says of an unknown one that it is unknown', () => {
    expect(eventNotes(factsOf('next_year', 'refs/heads/main')).noBase).toContain(
      'next_year, which this version does not know, names no branch',
    );
  });
});
