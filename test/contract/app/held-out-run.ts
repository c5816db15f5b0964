import { readFile, rm, writeFile } from 'node:fs/promises';
import * as path from 'node:path';
import { afterEach } from 'vitest';
import { run } from '../../../src/app/run.ts';
import { walkFolder } from '../../../src/files/walk.ts';
import { type Host, type HostOptions, startHost } from '../../../src/host/host.ts';
import { planSchema } from '../../../src/model/plan.ts';
import { parseHeldOut } from '../../../src/plan/held-out-file.ts';
import { heldOutMask } from '../../../src/plan/held-out-mask.ts';
import type { Log } from '../../../src/platform/ports.ts';
import { called } from './verb-context.ts';

const SALT = 'aa11bb22cc33dd44ee55ff6600778899';
export const LIST = `salt: ${SALT}
suite: libero_spatial
cells:
  - {task: 1, init-states: 20-22}
  - {task: 7, init-states: 30}
`;
export const GOOD = { mode: { kind: 'good' }, metadata: { model: 'pi', checkpoint: 'base' } } as const;
export const DEAD = {
  mode: { kind: 'bad', skill: 0 },
  metadata: { model: 'pi', checkpoint: 'new' },
} as const;

/** Outside of the workspace. */
function listPath({ workspace }: Host): string {
  return path.join(workspace, '..', `held-out-${path.basename(workspace)}.yml`);
}

export async function listFile(on: Host, text = LIST): Promise<string> {
  const file = listPath(on);
  await writeFile(file, text, { mode: 0o600 });
  return file;
}

/** Starts hosts for the tests of a file; each is stopped when its test is over. */
export function hostsForTests(): (options?: HostOptions) => Promise<Host> {
  let host: Host | null = null;
  afterEach(async () => {
    if (host === null) return;
    await rm(listPath(host), { force: true });
    await host.stop();
    host = null;
  });
  return async (options = {}) => {
    host = await startHost({ policies: [GOOD], watchdog: { pollMs: 10 }, ...options });
    return host;
  };
}

/** Everything that a job says, progress and group titles included. */
export class Everything implements Log {
  readonly lines: string[] = [];
  readonly info = (text: string): void => void this.lines.push(text);
  readonly warning = this.info;
  readonly error = this.info;
  readonly group = this.info;
  readonly progress = this.info;
  endGroup(): void {}
  get text(): string {
    return this.lines.join('\n');
  }
}

/** Finds exactly the cells of a list and these languages, whatever the job knows to be open. */
export function finderOf(text: string, languages: readonly string[] = []) {
  const { cells, salt } = parseHeldOut(text, 'list');
  const held = new Set(cells.map(({ taskId, initStateId }) => `${taskId}/${initStateId}`));
  const all = Array.from({ length: 100 }, (_, taskId) =>
    Array.from({ length: 100 }, (__, initStateId) => ({ taskId, initStateId })),
  ).flat();
  const open = all.filter(({ taskId, initStateId }) => !held.has(`${taskId}/${initStateId}`));
  return heldOutMask({ salts: [salt], open, languages });
}

/** A benchmark with held-out cells, on the command line. */
export async function runHeldOut(
  on: Host,
  more: readonly string[] = [],
  env: Record<string, string> = {},
  signal: AbortSignal = new AbortController().signal,
) {
  const call = await called(
    [
      'run',
      ...['--workspace', on.workspace, '--json', '--policy-wait', '1'],
      ...(more.includes('--suite') ? [] : ['--suite', 'libero_spatial']),
      ...['--policy-endpoint', on.policies[0]?.endpoint ?? ''],
      ...(more.includes('--tasks') ? [] : ['--tasks', '0-1', '--init-states', '0-1']),
      ...(more.includes('--heldout-file') ? [] : ['--heldout-file', await listFile(on)]),
      ...more,
    ],
    env,
  );
  const log = new Everything();
  const exitCode = await run({ ...call.verb, log, signal });
  const outputs: Record<string, string> = JSON.parse(call.printed());
  return { exitCode, outputs, bundle: outputs['bundle-path'] ?? '', printed: call.printed(), log };
}

export const json = async (folder: string, name: string): Promise<unknown> =>
  JSON.parse(await readFile(path.join(folder, name), 'utf8'));

export async function filesOf(folder: string): Promise<string[]> {
  return walkFolder(folder).files.map((file) => path.join(folder, file));
}

export async function textsOf(folder: string): Promise<string[]> {
  return Promise.all((await filesOf(folder)).map((file) => readFile(file, 'utf8')));
}

/** Folder of the held-out bundle beside a public one. */
export function heldOutBundle(bundle: string, attempt = 1): string {
  return path.join(`${path.dirname(bundle)}-heldout`, `attempt-${attempt}`);
}

/** What knows the held-out cells by their names, and by the language that they alone have, as their own plan knows it. */
export async function maskFor(bundle: string) {
  const held = planSchema.parse(await json(heldOutBundle(bundle), 'plan.json'));
  const open = planSchema.parse(await json(bundle, 'plan.json'));
  const known = new Set(open.tasks.map(({ language }) => language));
  const languages = held.tasks.map(({ language }) => language).filter((language) => !known.has(language));
  if (languages.length !== 1) throw new Error('the test needs one held-out language');
  return finderOf(LIST, languages);
}
