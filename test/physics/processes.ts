import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
export const KIT = join(ROOT, 'docs', 'simulators');
const CLI = join(process.env['E2E_DIST'] ?? join(ROOT, 'dist'), 'cli.js');

/** Python with Meta-World, as .github/scripts/python-venv.sh makes it; undefined: this tier is skipped. */
export const PYTHON = process.env['PHYSICS_PYTHON'];

/** A process that says where it listens. */
export interface Served {
  readonly endpoint: string;
  readonly child: ChildProcess;
}

export interface Ended {
  readonly code: number | null;
  readonly text: string;
}

/** A folder with everything that one file of tests starts; `end` kills what is left of it. */
export class Stage {
  readonly folder = mkdtempSync(join(tmpdir(), 'rb-physics-'));
  readonly workspace = join(this.folder, 'workspace');
  readonly #children = new Set<ChildProcess>();

  /** A server of docs/simulators on a free port; resolves when it listens, which is before its simulator is built. */
  serve(file: string, ...args: readonly string[]): Promise<Served> {
    return this.#listening([join(KIT, file), '--port', '0', ...args]);
  }

  /** A server of a test's own, which is told where the kit is. */
  serveScript(file: string): Promise<Served> {
    return this.#listening([file, KIT]);
  }

  async #listening(args: readonly string[]): Promise<Served> {
    const child = this.start(PYTHON ?? '', args);
    let text = '';
    for await (const piece of child.stdout ?? []) {
      text += String(piece);
      const endpoint = /listens on (\S+)/.exec(text)?.[1];
      if (endpoint !== undefined) return { endpoint, child };
    }
    throw new Error(`${args[0]} ended: ${text}`);
  }

  /** The built program, left running. Its output goes to `onText`. */
  cli(args: readonly string[], onText: (text: string) => void = () => undefined): ChildProcess {
    const child = this.start(process.execPath, [CLI, ...args]);
    child.stdout?.on('data', (piece) => onText(String(piece)));
    child.stderr?.on('data', (piece) => onText(String(piece)));
    return child;
  }

  /** The built program until its end. */
  async call(...args: readonly string[]): Promise<Ended> {
    let text = '';
    const child = this.cli(args, (piece) => {
      text += piece;
    });
    const [code] = await once(child, 'close');
    return { code: typeof code === 'number' ? code : null, text };
  }

  async end(): Promise<void> {
    await Promise.all([...this.#children].map((child) => killed(child, 'SIGKILL')));
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** Folders of the attempts in this workspace, the newest last. */
  attempts(): readonly string[] {
    const runs = join(this.workspace, 'artifacts', 'rollout-bench');
    return this.runs().flatMap((run) =>
      readdirSync(join(runs, run))
        .filter((name) => /^attempt-\d+$/.test(name))
        .sort()
        .map((attempt) => join(runs, run, attempt)),
    );
  }

  /** Ids of all runs that were begun here, the newest last. */
  runs(): readonly string[] {
    const runs = join(this.workspace, 'artifacts', 'rollout-bench');
    return readdirSync(runs)
      .filter((name) => name.startsWith('2') && !name.includes('-qualify-'))
      .sort();
  }

  /** The Markdown report that a run names. */
  report(text: string): string {
    return readFileSync(/^Report: (.+)$/m.exec(text)?.[1] ?? '', 'utf8');
  }

  start(command: string, args: readonly string[]): ChildProcess {
    const child = spawn(command, args, {
      cwd: this.folder,
      env: {
        PATH: process.env['PATH'] ?? '',
        HOME: process.env['HOME'] ?? '',
        PYTHONDONTWRITEBYTECODE: '1',
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    child.stderr?.resume();
    this.#children.add(child);
    child.once('close', () => this.#children.delete(child));
    return child;
  }
}

/** Ends a process and waits until it is gone. */
export async function killed(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'close');
  child.kill(signal);
  await gone;
}

interface Episode {
  readonly taskId: number;
  readonly initStateId: number;
  readonly outcome: string;
  readonly steps: number | null;
}

/** Outcome and steps of each cell of a sealed attempt, in the order of the cells. */
export function cellsOf(attempt: string): readonly string[] {
  const lines = readFileSync(join(attempt, 'episodes.jsonl'), 'utf8').trim().split('\n');
  return lines
    .map((line): Episode => JSON.parse(line))
    .map(({ taskId, initStateId, outcome, steps }) => `t${taskId} i${initStateId} ${outcome} ${steps}`)
    .sort();
}

export function successes(cells: readonly string[]): number {
  return cells.filter((cell) => cell.includes(' success ')).length;
}
