import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { LIBERO_SKILL_ID, LIBERO_TARGET_ID } from '../../src/host/host.ts';
import { writeRuntimeYaml } from '../../src/host/yaml-writer.ts';
import { renderDocument } from '../../src/workspace/fenced-block.ts';

/** The built program. */
const PROGRAM = join(process.env['RB_BENCH_ROOT'] ?? '.', 'dist', 'cli.js');
/** Of /proc/<pid>/stat, as Linux has it on every machine of today. */
const TICK_MS = 10;

/** A workspace with simulator and policy in a process of their own, and the processes that a benchmark starts on it. */
export class HostStage {
  readonly workspace = mkdtempSync(join(tmpdir(), 'rb-bench-host-'));
  readonly #children: ChildProcess[] = [];
  targetEndpoint = '';
  policyEndpoint = '';

  /** @param more options of `simulated-host`. */
  async simulate(...more: readonly string[]): Promise<void> {
    const where = ['--workspace', this.workspace, '--no-watchdog', '--ignore-stdin', '--rule', 'stub'];
    const child = this.program(['simulated-host', ...where, ...more]);
    for await (const line of createInterface({ input: child.stdout ?? process.stdin })) {
      // The first line of the program says where it is.
      const ready = JSON.parse(line) as { targetEndpoint: string; policyEndpoints: string[] };
      this.targetEndpoint = ready.targetEndpoint;
      this.policyEndpoint = ready.policyEndpoints[0] ?? '';
      return;
    }
  }

  program(args: readonly string[]): ChildProcess {
    return this.start(process.execPath, [PROGRAM, ...args]);
  }

  start(command: string, args: readonly string[], env: NodeJS.ProcessEnv = process.env): ChildProcess {
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], env });
    child.stderr?.resume();
    this.#children.push(child);
    return child;
  }

  /** Queues so many sessions of the benchmark target at once. */
  queue(count: number): void {
    const sessions = Array.from({ length: count }, (_, index) => ({
      session_id: `s${String(index).padStart(5, '0')}`,
      target_ref: `target://${LIBERO_TARGET_ID}`,
      skillruntime_ref: `skillruntime://${LIBERO_SKILL_ID}`,
      task_description: 'bench',
      routing: { policy_endpoint: this.policyEndpoint },
    }));
    writeFileSync(
      join(this.workspace, 'SESSIONS.md'),
      renderDocument('Runtime Sessions', writeRuntimeYaml({ sessions })),
    );
  }

  /** Times of these events in the journal of the only run here, in milliseconds since 1970. */
  journalTimes(type: string): readonly number[] {
    const runs = join(this.workspace, 'artifacts', 'rollout-bench');
    const run = readdirSync(runs).find((name) => !name.startsWith('.')) ?? '';
    const lines = readFileSync(join(runs, run, 'attempt-1', 'journal.jsonl'), 'utf8')
      .trim()
      .split('\n');
    return lines.flatMap((line) => {
      // Lines of our own journal.
      const { at, event } = JSON.parse(line) as { at: string; event: { type: string } };
      return event.type === type ? [Date.parse(at)] : [];
    });
  }

  async end(): Promise<void> {
    for (const child of this.#children) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      const gone = once(child, 'exit');
      child.kill('SIGKILL');
      await gone;
    }
    rmSync(this.workspace, { recursive: true, force: true });
  }
}

/** What a process has cost so far: CPU of it and of what it started, in milliseconds, and its memory in MB. Zero once it is gone. */
export function costOf({ pid }: ChildProcess): { readonly cpuMs: number; readonly memoryMb: number } {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // After the name, which may hold anything: state is the third field, utime the fourteenth.
    const fields = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    const ticks = [11, 12, 13, 14].reduce((sum, at) => sum + (fields[at] ?? 0), 0);
    const rss = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? '0';
    return { cpuMs: ticks * TICK_MS, memoryMb: Number(rss) / 1024 };
  } catch {
    return { cpuMs: 0, memoryMb: 0 };
  }
}

/** Mean milliseconds from one of these moments to the next. */
export function meanStep(times: readonly number[]): number {
  const first = times[0] ?? 0;
  return times.length < 2 ? Number.NaN : ((times.at(-1) ?? first) - first) / (times.length - 1);
}
