import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { approve } from '../../../src/app/approve.ts';
import { run } from '../../../src/app/run.ts';
import { RbError } from '../../../src/errors/rb-error.ts';
import { type Host, startHost } from '../../../src/host/host.ts';
import type { VerbContext } from '../../../src/job/verb.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import { LoopbackGitHub } from '../github/loopback/loopback-github.ts';
import { LoopbackStep } from './loopback-step.ts';

export const HEAD = 'b'.repeat(40);

/** What is told of one step of a workflow job. */
export interface Given {
  readonly githubRun?: number;
  readonly head?: string;
  readonly attempt?: number;
  readonly inputs?: Readonly<Record<string, string>>;
  /** Variables of the runner beside those of the event. */
  readonly env?: Readonly<Record<string, string>>;
  /** Id of the repository that a pull request comes from; left out: the step is of a push. */
  readonly pull?: number;
  /** More of the event. */
  readonly event?: Readonly<Record<string, unknown>>;
}

/** With a clock that runs as the host's does. */
export const measure = (verb: VerbContext) => run({ ...verb, clock: systemClock });

/** `exit 0`, or the refusal as text. */
export async function codesOf(work: Promise<number>): Promise<string> {
  try {
    return `exit ${await work}`;
  } catch (error) {
    if (!(error instanceof RbError)) throw error;
    expect(error.exitCode).toBe(3);
    return error.message;
  }
}

/** A simulation host and a GitHub on which people approve. */
export class ApprovalStage {
  readonly github: LoopbackGitHub;
  readonly host: Host;
  /** Where steps measure; the host's own unless a test puts another one in its place. */
  workspace: string;

  private constructor(github: LoopbackGitHub, host: Host) {
    this.github = github;
    this.host = host;
    this.workspace = host.workspace;
  }

  static async open(): Promise<ApprovalStage> {
    const github = await LoopbackGitHub.start();
    github.token('t', { actions: 'read', contents: 'read', 'pull-requests': 'read' });
    return new ApprovalStage(github, await startHost({ watchdog: { pollMs: 10 } }));
  }

  async close(): Promise<void> {
    await this.host.stop();
    await this.github.stop();
    expect(this.github.violations).toEqual([]);
  }

  step({ githubRun = 42, head = HEAD, attempt = 1, env = {}, pull, event = {} }: Given): LoopbackStep {
    const file = join(this.host.workspace, 'event.json');
    const repository = { id: 1, full_name: 'acme/robots', default_branch: 'main', private: true };
    const side = { ref: 'main', sha: 'c'.repeat(40), repo: repository };
    const pullRequest = {
      number: 12,
      state: 'open',
      user: { login: 'author' },
      head: { ref: 'faster', sha: head, repo: { ...repository, id: pull } },
      base: side,
    };
    const whole = { repository, ...(pull === undefined ? {} : { pull_request: pullRequest }), ...event };
    writeFileSync(file, JSON.stringify(whole));
    return new LoopbackStep(this.github, {
      GITHUB_EVENT_NAME: pull === undefined ? 'push' : 'pull_request',
      GITHUB_EVENT_PATH: file,
      GITHUB_SHA: head,
      GITHUB_REF: 'refs/heads/main',
      GITHUB_RUN_ID: String(githubRun),
      GITHUB_RUN_ATTEMPT: String(attempt),
      GITHUB_JOB: 'gate',
      RUNNER_ENVIRONMENT: 'self-hosted',
      ...env,
    });
  }

  inputs(more: Readonly<Record<string, string>> = {}): Record<string, string> {
    return {
      workspace: this.workspace,
      suite: 'libero_spatial',
      tasks: '0',
      'init-states': '0-1',
      'policy-endpoint': this.host.policyEndpoint,
      'policy-wait': '1',
      comment: 'off',
      'report-branch': 'none',
      approval: 'environment',
      ...more,
    };
  }

  approve(given: Given = {}): Promise<string> {
    const inputs = this.inputs({ mode: 'approve', ...given.inputs });
    return codesOf(approve(this.step(given).main(inputs)));
  }

  run(given: Given = {}): Promise<string> {
    return codesOf(measure(this.step(given).main(this.inputs({ mode: 'run', ...given.inputs }))));
  }

  /** A required reviewer lets a workflow run into its environment. */
  reviewed(runId = 42, login = 'ada'): void {
    this.started(runId);
    this.github.approvals.approveRun(runId, 'release', { login, id: 7 });
  }

  /** Somebody starts a workflow run; one that is there already is left as it is. */
  started(runId = 42, by: { actor?: string; again?: string; attempt?: number } = {}): void {
    const { runs } = this.github.service;
    if (runs.some(({ id }) => id === runId)) return;
    runs.push({ id: runId, headSha: HEAD, event: 'push', headRepoId: 1, ...by });
  }
}
