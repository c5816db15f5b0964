import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import * as z from 'zod';
import { parseCommandFile, parseCommands, type WorkflowCommand } from './workflow-commands.ts';

/**
 * Runs a JavaScript action as GitHub's runner does: defaults of action.yml, INPUT_ variables, command files, state
 * handed from main to post, and on cancellation SIGINT, then SIGTERM, then SIGKILL.
 */
export interface ActionRun {
  /** Folder with action.yml and dist/. */
  readonly action: string;
  /** Node binary that executes the scripts. */
  readonly node: string;
  readonly inputs?: Readonly<Record<string, string>>;
  /** The config file at its usual place in the checkout; none when left out. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Added to the clean environment of the job. */
  readonly env?: Readonly<Record<string, string>>;
  /** Value of `${{ github.token }}` in defaults; empty as with `permissions: {}` when left out. */
  readonly token?: string;
  /** Name and payload of the event that started the workflow; the payload becomes GITHUB_EVENT_PATH's file. */
  readonly event?: { readonly name: string; readonly payload: unknown };
  /** Cancels main when it aborts. */
  readonly cancel?: AbortSignal;
  /** Called after main has ended and before post begins. */
  readonly betweenSteps?: () => Promise<void>;
}

export interface StepResult {
  readonly exitCode: number | null;
  readonly killedBy: NodeJS.Signals | null;
  /** From SIGINT to the end of the process, in ms; null when it was not cancelled. */
  readonly endedAfterMs: number | null;
  /** stdout and stderr as they came. */
  readonly output: string;
  readonly commands: readonly WorkflowCommand[];
  readonly outputs: Readonly<Record<string, string>>;
  readonly state: Readonly<Record<string, string>>;
  readonly summary: string;
}

export interface ActionResult {
  readonly main: StepResult;
  /** Null when action.yml names no post script. */
  readonly post: StepResult | null;
}

/** The runner's times between SIGINT, SIGTERM and the end of the process tree. */
const SIGTERM_AFTER_MS = 7500;
const KILL_AFTER_MS = 2500;

const COMMAND_FILES = [
  'GITHUB_OUTPUT',
  'GITHUB_STATE',
  'GITHUB_ENV',
  'GITHUB_PATH',
  'GITHUB_STEP_SUMMARY',
] as const;

const metadataSchema = z.object({
  inputs: z.record(z.string(), z.object({ default: z.coerce.string().optional() })).default({}),
  runs: z.object({ using: z.string(), main: z.string(), post: z.string().optional() }),
});

export async function runAction(run: ActionRun): Promise<ActionResult> {
  const metadata = metadataSchema.parse(parse(await readFile(join(run.action, 'action.yml'), 'utf8')));
  const temp = await mkdtemp(join(tmpdir(), 'action-runner-'));
  try {
    const env = { ...jobEnvironment(temp), ...inputVariables(metadata.inputs, run), ...run.env };
    await mkdir(join(temp, 'workspace'));
    if (run.settings !== undefined) await writeSettings(join(temp, 'workspace'), run.settings);
    if (run.event !== undefined) {
      const file = join(temp, 'event.json');
      await writeFile(file, JSON.stringify(run.event.payload));
      Object.assign(env, { GITHUB_EVENT_NAME: run.event.name, GITHUB_EVENT_PATH: file });
    }
    const main = await runStep({ run, temp, env, script: metadata.runs.main, name: 'main' });
    if (metadata.runs.post === undefined) return { main, post: null };
    await run.betweenSteps?.();
    const stateEnv = Object.fromEntries(
      Object.entries(main.state).map(([name, value]) => [`STATE_${name}`, value]),
    );
    const { cancel: _, ...postRun } = run;
    const post = await runStep({
      run: postRun,
      temp,
      env: { ...env, ...stateEnv },
      script: metadata.runs.post,
      name: 'post',
    });
    return { main, post };
  } finally {
    await rm(temp, { recursive: true, force: true });
  }
}

async function writeSettings(checkout: string, settings: Readonly<Record<string, string>>): Promise<void> {
  await mkdir(join(checkout, '.github'));
  await writeFile(join(checkout, '.github/rollout-bench.yml'), stringify(settings));
}

function jobEnvironment(temp: string): Record<string, string> {
  return {
    PATH: process.env['PATH'] ?? '',
    HOME: temp,
    CI: 'true',
    GITHUB_ACTIONS: 'true',
    GITHUB_WORKSPACE: join(temp, 'workspace'),
    GITHUB_REPOSITORY: 'octo/policies',
    GITHUB_RUN_ID: '4242',
    GITHUB_RUN_ATTEMPT: '1',
    GITHUB_JOB: 'benchmark',
    GITHUB_SHA: '0123456789abcdef0123456789abcdef01234567',
    GITHUB_EVENT_NAME: 'workflow_dispatch',
    GITHUB_SERVER_URL: 'https://github.com',
    RUNNER_TEMP: temp,
    RUNNER_ENVIRONMENT: 'self-hosted',
  };
}

/** `github-token` becomes INPUT_GITHUB-TOKEN: the runner upper-cases names and replaces blanks only. */
function inputVariables(
  declared: z.infer<typeof metadataSchema>['inputs'],
  { inputs = {}, token = '' }: ActionRun,
): Record<string, string> {
  const names = new Set([...Object.keys(declared), ...Object.keys(inputs)]);
  return Object.fromEntries(
    [...names].map((name) => {
      const value = inputs[name] ?? evaluated(declared[name]?.default ?? '', token);
      return [`INPUT_${name.replaceAll(' ', '_').toUpperCase()}`, value];
    }),
  );
}

function evaluated(value: string, token: string): string {
  const text = value.replaceAll(/\$\{\{\s*github\.token\s*\}\}/g, token);
  if (text.includes('${{')) throw new Error(`this runner evaluates github.token only, not: ${value}`);
  return text;
}

interface Step {
  readonly run: ActionRun;
  readonly temp: string;
  readonly env: Readonly<Record<string, string>>;
  readonly script: string;
  readonly name: string;
}

async function runStep(step: Step): Promise<StepResult> {
  const files = Object.fromEntries(
    COMMAND_FILES.map((name) => [name, join(step.temp, `${step.name}-${name}`)]),
  );
  for (const file of Object.values(files)) await writeFile(file, '');
  const end = await execute(step, { ...step.env, ...files });
  const written = async (name: (typeof COMMAND_FILES)[number]): Promise<string> =>
    readFile(join(step.temp, `${step.name}-${name}`), 'utf8');
  return {
    ...end,
    commands: parseCommands(end.output),
    outputs: parseCommandFile(await written('GITHUB_OUTPUT')),
    state: parseCommandFile(await written('GITHUB_STATE')),
    summary: await written('GITHUB_STEP_SUMMARY'),
  };
}

function execute(
  { run, temp, script }: Step,
  env: Record<string, string>,
): Promise<Pick<StepResult, 'exitCode' | 'killedBy' | 'endedAfterMs' | 'output'>> {
  return new Promise((resolve, reject) => {
    const child = spawn(run.node, [join(run.action, script)], {
      cwd: join(temp, 'workspace'),
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const timers: NodeJS.Timeout[] = [];
    let output = '';
    let cancelledAt: number | null = null;
    const cancel = (): void => {
      if (cancelledAt !== null) return;
      cancelledAt = performance.now();
      child.kill('SIGINT');
      timers.push(setTimeout(() => child.kill('SIGTERM'), SIGTERM_AFTER_MS));
      timers.push(setTimeout(() => child.kill('SIGKILL'), SIGTERM_AFTER_MS + KILL_AFTER_MS));
    };
    const receive = (chunk: Buffer): void => {
      output += chunk.toString('utf8');
    };
    if (run.cancel?.aborted === true) cancel();
    run.cancel?.addEventListener('abort', cancel);
    child.stdout.on('data', receive);
    child.stderr.on('data', receive);
    child.on('error', reject);
    child.on('close', (exitCode, killedBy) => {
      for (const timer of timers) clearTimeout(timer);
      run.cancel?.removeEventListener('abort', cancel);
      const endedAfterMs = cancelledAt === null ? null : performance.now() - cancelledAt;
      resolve({ exitCode, killedBy, endedAfterMs, output });
    });
  });
}
