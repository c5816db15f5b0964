import { spawn } from 'node:child_process';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** What a workflow gets when it names the action: nothing that needs node_modules. */
const SHIPPED = ['action.yml', 'package.json'];
/** What is tested: dist/ as it is committed, or, while src/ changes, what `build.mjs --out` has put elsewhere. */
const DIST = process.env['E2E_DIST'] ?? join(ROOT, 'dist');

export interface NodeBinary {
  readonly name: string;
  readonly path: string;
}

/** The Node of this run, and Node 24, the runners' own, where NODE24 names one. */
export const NODES: readonly NodeBinary[] = [
  { name: `Node ${process.versions.node}`, path: process.execPath },
  ...(process.env['NODE24'] === undefined ? [] : [{ name: 'Node 24', path: process.env['NODE24'] }]),
];

/** The Node that a runner would take for `using: node24`, as far as it is here. */
export const ACTION_NODE = NODES.at(-1)?.path ?? process.execPath;

export interface InstalledProgram {
  /** Folder with action.yml, package.json and dist/, far from any node_modules. */
  readonly folder: string;
  remove(): Promise<void>;
}

export async function installProgram(): Promise<InstalledProgram> {
  const folder = await mkdtemp(join(tmpdir(), 'rollout-bench-installed-'));
  for (const name of SHIPPED) await cp(join(ROOT, name), join(folder, name));
  await cp(DIST, join(folder, 'dist'), { recursive: true });
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) };
}

export interface CliResult {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CliCall {
  readonly program: InstalledProgram;
  readonly node: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs the command line in the program's folder with a clean environment. */
export function runCli({ program, node, args, env }: CliCall): Promise<CliResult> {
  return new Promise((resolve, reject) => {
    const child = spawn(node, [join(program.folder, 'dist', 'cli.js'), ...args], {
      cwd: program.folder,
      env: { PATH: process.env['PATH'] ?? '', HOME: program.folder, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let stdout = '';
    let stderr = '';
    child.stdout.on('data', (chunk: Buffer) => {
      stdout += chunk.toString('utf8');
    });
    child.stderr.on('data', (chunk: Buffer) => {
      stderr += chunk.toString('utf8');
    });
    child.on('error', reject);
    child.on('close', (exitCode) => resolve({ exitCode, stdout, stderr }));
  });
}
