import { execFile } from 'node:child_process';
import * as os from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);
const TOOL_TIMEOUT_MS = 5_000;
const KILL_MS = 500;
const MAX_OUTPUT_BYTES = 64 * 1024;

/** A GPU as the driver's own tool describes it; memory in MiB. */
export interface GpuFacts {
  readonly name: string;
  readonly driver: string;
  readonly memoryFreeMib: number | null;
  /** Names of compute processes on it; theirs and the simulator's alike. */
  readonly processes: readonly string[];
}

export interface HostFacts {
  readonly system: string;
  readonly cpus: number;
  /** Null when no tool tells; an empty list when it says there is none. */
  readonly gpus: readonly GpuFacts[] | null;
}

/** What this machine is, as far as its own tools tell. Never fails: what is unknown stays null. */
export async function hostFacts(): Promise<HostFacts> {
  return {
    system: `${os.type()} ${os.release()} ${os.arch()}`,
    cpus: os.availableParallelism(),
    gpus: await gpuFacts(),
  };
}

/** What the driver's tool tells now; null when there is none, or when it does not answer in time. */
export async function gpuFacts(timeoutMs = TOOL_TIMEOUT_MS): Promise<readonly GpuFacts[] | null> {
  const cards = await query(['--query-gpu=uuid,name,driver_version,memory.free'], timeoutMs);
  if (cards === null) return null;
  const processes = (await query(['--query-compute-apps=gpu_uuid,process_name'], timeoutMs)) ?? [];
  return cards.map(([uuid = '', name = '', driver = '', free = '']) => ({
    name,
    driver,
    memoryFreeMib: /^\d+$/.test(free) ? Number(free) : null,
    // The last part of the path only: folders are the host's own business.
    processes: processes.flatMap(([gpu, path = '']) => (gpu === uuid ? [path.split('/').at(-1) ?? ''] : [])),
  }));
}

async function query(args: readonly string[], timeoutMs: number): Promise<string[][] | null> {
  const giveUp = new AbortController();
  try {
    const asked = run('nvidia-smi', [...args, '--format=csv,noheader,nounits'], {
      timeout: timeoutMs,
      killSignal: 'SIGKILL',
      maxBuffer: MAX_OUTPUT_BYTES,
    });
    // A broken driver keeps its tool from ending, whatever signal it gets: then it is left to itself.
    const late = delay(timeoutMs + KILL_MS, null, { signal: giveUp.signal, ref: false });
    const answer = await Promise.race([asked, late.catch(() => null)]);
    if (answer === null) return null;
    return answer.stdout
      .split('\n')
      .filter((line) => line.trim() !== '')
      .map((line) => line.split(',').map((field) => field.trim()));
  } catch {
    return null;
  } finally {
    giveUp.abort();
  }
}
