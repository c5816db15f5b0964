import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Host, type HostOptions, startHost } from '../../../src/host/host.ts';
import type { Permissions } from '../../contract/github/loopback/exchange.ts';
import { EVERY_PERMISSION, LoopbackGitHub } from '../../contract/github/loopback/loopback-github.ts';
import { type ActionResult, type ActionRun, runAction } from '../action-runner.ts';
import { ACTION_NODE, type InstalledProgram, installProgram } from '../built-program.ts';
import { type JobEvent, REPOSITORY } from './events.ts';
import { runtimeToken } from './runtime-token.ts';

export interface Job {
  readonly event: JobEvent;
  readonly inputs: Readonly<Record<string, string>>;
  /** What the config file of the checkout says. */
  readonly settings?: ActionRun['settings'];
  /** Number of the workflow run; runs of a day count up. */
  readonly runId: number;
  readonly runAttempt?: number;
  /** Id of the job in the workflow. */
  readonly job?: string;
  /** What the job's token may do; null for a job without a token. */
  readonly permissions?: Permissions | null;
  readonly env?: Readonly<Record<string, string>>;
  readonly cancel?: ActionRun['cancel'];
  readonly betweenSteps?: ActionRun['betweenSteps'];
}

/** A simulation host, a GitHub and the installed action: everything that a workflow of acme/robots meets. */
export class Stage {
  readonly github: LoopbackGitHub;
  readonly hosts: readonly Host[];
  readonly #program: InstalledProgram;
  readonly #folders: string[] = [];

  private constructor(parts: { github: LoopbackGitHub; hosts: readonly Host[]; program: InstalledProgram }) {
    this.github = parts.github;
    this.hosts = parts.hosts;
    this.#program = parts.program;
  }

  /** @param hosts one simulation host each */
  static async open(hosts: readonly HostOptions[] = [{}]): Promise<Stage> {
    const started: Host[] = [];
    for (const options of hosts) started.push(await startHost({ watchdog: { pollMs: 20 }, ...options }));
    return new Stage({
      github: await LoopbackGitHub.start(),
      hosts: started,
      program: await installProgram(),
    });
  }

  get host(): Host {
    const [first] = this.hosts;
    if (first === undefined) throw new Error('this stage has no host');
    return first;
  }

  /** Folder with action.yml and dist/. */
  get action(): string {
    return this.#program.folder;
  }

  async close(): Promise<void> {
    for (const host of this.hosts) await host.stop();
    await this.github.stop();
    await this.#program.remove();
    for (const folder of this.#folders) await rm(folder, { recursive: true, force: true });
  }

  /** Runs one job whose only step is the action. */
  run(job: Job): Promise<ActionResult> {
    const { event, runId, permissions = EVERY_PERMISSION } = job;
    const name = job.job ?? 'benchmark';
    return runAction({
      action: this.#program.folder,
      node: ACTION_NODE,
      inputs: job.inputs,
      ...(job.settings === undefined ? {} : { settings: job.settings }),
      token: permissions === null ? '' : this.github.token(`ghs_${runId}_${name}`, permissions),
      event,
      env: {
        GITHUB_API_URL: this.github.url,
        ACTIONS_RESULTS_URL: `${this.github.url}/`,
        ACTIONS_RUNTIME_TOKEN: runtimeToken(runId, name),
        GITHUB_REPOSITORY: REPOSITORY,
        GITHUB_RUN_ID: String(runId),
        GITHUB_RUN_ATTEMPT: String(job.runAttempt ?? 1),
        GITHUB_JOB: name,
        ...event.env,
        ...job.env,
      },
      ...(job.cancel === undefined ? {} : { cancel: job.cancel }),
      ...(job.betweenSteps === undefined ? {} : { betweenSteps: job.betweenSteps }),
    });
  }

  /** Requests to GitHub's API; the artifact service is none of it. */
  apiRequests(): readonly string[] {
    return this.github.seen
      .map(({ operation }) => operation)
      .filter((operation) => !operation.startsWith('twirp/') && !operation.startsWith('blob/'));
  }

  /** Clones a branch as anybody would. @returns the folder */
  async clone(branch: string): Promise<string> {
    const folder = await this.folder('clone');
    await promisify(execFile)('git', ['clone', '--quiet', '--branch', branch, this.github.git.path, folder]);
    return folder;
  }

  /** A new folder that goes when the stage does. */
  async folder(purpose: string): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), `rollout-bench-${purpose}-`));
    this.#folders.push(folder);
    return folder;
  }
}

/** Records of a JSON Lines file. */
export async function jsonLines(...place: string[]): Promise<Record<string, unknown>[]> {
  const text = await readFile(join(...place), 'utf8');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}

/** The table of the log may be long; a failed expectation should show the end of it. */
export function tail(output: string): string {
  return output.split('\n').slice(-60).join('\n');
}
