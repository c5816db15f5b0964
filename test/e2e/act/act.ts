import { execFile, spawn } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import * as z from 'zod';
import { ACTION_NODE } from '../built-program.ts';
import type { JobEvent } from '../scenarios/events.ts';
import { runtimeToken } from '../scenarios/runtime-token.ts';

/** The act binary; .ci/run installs one and names it. */
export const ACT = process.env['ACT'] ?? null;

const EXAMPLES = fileURLToPath(new URL('../../../docs/examples', import.meta.url));
const STAND_INS = fileURLToPath(new URL('stand-ins', import.meta.url));
const USES = /^\s*(?:- )?uses: ([^\s@]+)@(\S+)/gm;
const OURS = 'OWNER/rollout-bench';

export interface Workflow {
  /** Name of the file in docs/examples, which is run itself and unchanged. */
  readonly example: string;
  readonly event: JobEvent;
  readonly runId: number;
  /** Folder with action.yml and dist/, taken for OWNER/rollout-bench. */
  readonly action: string;
  readonly token: string;
  /** Of GitHub's API and of the artifact service. */
  readonly serviceUrl: string;
  /** Variables of the repository. */
  readonly vars: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
  /** Repository that the workflow belongs to, with the event's commit; left out: an empty one. */
  readonly repository?: string;
}

interface JobEnd {
  /** Id of the job; of a matrix, with a number behind it. */
  readonly job: string;
  readonly result: string;
}

export interface WorkflowEnd {
  readonly exitCode: number | null;
  readonly jobs: readonly JobEnd[];
  readonly log: string;
}

const lineSchema = z.object({
  jobID: z.string().optional(),
  msg: z.string(),
  jobResult: z.string().optional(),
});

/**
 * Runs an example in act, on this machine without containers. act knows a repository by a clone of it, so an empty one
 * with GitHub's address stands for acme/robots; actions of others come from the stand-ins. The artifact service is the
 * loopback's: act's own (up to 0.2.89) refuses requests with a field that its description does not know, and
 * @actions/artifact 6 sends one (mime_type).
 */
export async function runInAct(workflow: Workflow): Promise<WorkflowEnd> {
  const folder = await mkdtemp(join(tmpdir(), 'rollout-bench-act-'));
  try {
    const repository = await cloneOf(join(folder, 'robots'), workflow);
    await writeFile(join(folder, 'event.json'), JSON.stringify(workflow.event.payload));
    const file = join(EXAMPLES, workflow.example);
    const actions = [...(await readFile(file, 'utf8')).matchAll(USES)].map(([, name = '', ref = '']) => {
      const place = name === OURS ? workflow.action : join(STAND_INS, name.split('/').at(-1) ?? '');
      return `${name}@${ref}=${place}`;
    });
    const event = join(folder, 'event.json');
    const args = [workflow.event.name, '-W', file, '-C', repository, '-e', event, '--json'];
    const env = {
      GITHUB_API_URL: workflow.serviceUrl,
      ACTIONS_RESULTS_URL: `${workflow.serviceUrl}/`,
      ACTIONS_RUNTIME_TOKEN: runtimeToken(workflow.runId, 'act'),
      GITHUB_RUN_ID: String(workflow.runId),
      ...workflow.env,
    };
    args.push('--no-cache-server', '-s', `GITHUB_TOKEN=${workflow.token}`);
    for (const label of ['self-hosted', 'ubuntu-latest']) args.push('-P', `${label}=-self-hosted`);
    for (const action of actions) args.push('--local-repository', action);
    args.push(...pairs('--var', workflow.vars), ...pairs('--env', env));
    const { exitCode, log } = await start(args, folder);
    return { exitCode, log, jobs: jobEnds(log) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function pairs(option: string, values: Readonly<Record<string, string>>): string[] {
  return Object.entries(values).flatMap(([name, value]) => [option, `${name}=${value}`]);
}

/**
 * act takes the repository's name, branch and commit from a clone, and does not run a checkout of that commit, since the job
 * begins in a copy of the clone.
 */
async function cloneOf(folder: string, { event, repository }: Workflow): Promise<string> {
  const git = (...args: string[]) => promisify(execFile)('git', ['-C', folder, ...args]);
  await mkdir(folder);
  await git('init', '--quiet', '--initial-branch=main');
  await git('remote', 'add', 'origin', 'https://github.com/acme/robots.git');
  const commit = event.env['GITHUB_SHA'] ?? '';
  if (repository === undefined) {
    const author = ['-c', 'user.name=a', '-c', 'user.email=a@example.com'];
    await git(...author, 'commit', '--quiet', '--allow-empty', '--message', 'empty');
  } else {
    await git('fetch', '--quiet', repository, '+refs/heads/*:refs/remotes/origin/*');
    // A merge commit that only the event names is nowhere: such a workflow checks out what it needs by itself.
    await git('reset', '--quiet', '--hard', commit).catch(() =>
      git('reset', '--quiet', '--hard', 'origin/main'),
    );
  }
  const tag = /^refs\/tags\/(.+)$/.exec(event.env['GITHUB_REF'] ?? '')?.[1];
  if (tag !== undefined) await git('tag', tag);
  return folder;
}

function start(args: readonly string[], home: string): Promise<{ exitCode: number | null; log: string }> {
  return new Promise((resolve, reject) => {
    if (ACT === null) throw new Error('ACT names no binary');
    const child = spawn(ACT, args, {
      cwd: home,
      env: {
        PATH: `${dirname(ACTION_NODE)}${delimiter}${process.env['PATH'] ?? ''}`,
        HOME: home,
        XDG_CACHE_HOME: join(home, 'cache'),
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let log = '';
    const receive = (chunk: Buffer): void => {
      log += chunk.toString('utf8');
    };
    child.stdout.on('data', receive);
    child.stderr.on('data', receive);
    child.on('error', reject);
    child.on('close', (exitCode) => resolve({ exitCode, log }));
  });
}

/** act repeats the result of a job on every later line of it, so the last one counts. */
function jobEnds(log: string): JobEnd[] {
  const ends = new Map<string, string>();
  for (const line of log.split('\n')) {
    if (!line.startsWith('{')) continue;
    const { jobID, jobResult } = lineSchema.parse(JSON.parse(line));
    if (jobID !== undefined && jobResult !== undefined) ends.set(jobID, jobResult);
  }
  return [...ends].map(([job, result]) => ({ job, result }));
}

/** What steps printed, without act's own words around it. */
export function messages(log: string): string {
  return log
    .split('\n')
    .map((line) => (line.startsWith('{') ? lineSchema.parse(JSON.parse(line)).msg.trimEnd() : line))
    .join('\n');
}
