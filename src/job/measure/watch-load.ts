import { type GpuFacts, gpuFacts } from '../../platform/host-facts.ts';
import { type LoadReading, machineCpus, readLoad, stealPercent } from '../../platform/host-load.ts';
import type { Clock } from '../../platform/ports.ts';
import { type HostLoad, hostLoadOf, type LoadSample } from '../../results/host-load.ts';

const SAMPLE_MS = 60_000;
/** The driver's tool takes up to a second of CPU time. */
const GPU_EVERY = 10;
/** Samples that are written down; a run of days has thousands. */
const KEPT = 60;

interface LoadWatchOptions {
  readonly clock: Pick<Clock, 'now'>;
  /** What the driver's tool told before; null: there is none to ask. */
  readonly gpus: readonly GpuFacts[] | null;
  /** Between two samples; left out: a minute. */
  readonly everyMs?: number;
  readonly read?: () => LoadReading;
  readonly askGpus?: () => Promise<readonly GpuFacts[] | null>;
}

/** Takes what the work itself sees. */
export interface LoadWatch {
  /** Sessions of others that wait or run now. */
  othersAre(count: number): void;
  /** Whether the host works for somebody else now: what it does then is nothing of this work. */
  isAway(away: boolean): void;
}

/**
 * Does work while the host's load is sampled beside it: at its beginning, every minute and at its end. Nothing of the
 * work ever waits for a sample; only at the end the driver's tool is asked once more, within its time limit.
 */
export async function underLoadWatch<T>(
  options: LoadWatchOptions,
  work: (watch: LoadWatch) => Promise<T>,
): Promise<{ readonly result: T; readonly load: HostLoad }> {
  const samples = new Samples(options);
  const timer = setInterval(() => samples.take(), options.everyMs ?? SAMPLE_MS);
  timer.unref();
  try {
    const result = await work({
      othersAre: (count) => samples.othersAre(count),
      isAway: (away) => samples.isAway(away),
    });
    return { result, load: await samples.end() };
  } finally {
    clearInterval(timer);
  }
}

class Samples {
  readonly #options: LoadWatchOptions;
  readonly #read: () => LoadReading;
  readonly #all: LoadSample[] = [];
  #before: LoadReading;
  #others: number | null = null;
  #gpuProcesses: number | null;
  #asking: Promise<void> | null = null;
  #away = false;

  constructor(options: LoadWatchOptions) {
    this.#options = options;
    this.#read = options.read ?? readLoad;
    this.#gpuProcesses = mostProcesses(options.gpus);
    this.#before = this.#read();
    this.#note(this.#before, null);
  }

  othersAre(count: number): void {
    this.#others = count;
  }

  isAway(away: boolean): void {
    this.#away = away;
    this.#before = this.#read();
  }

  take(): void {
    if (this.#away) return;
    const now = this.#read();
    this.#note(now, stealPercent(this.#before.ticks, now.ticks));
    this.#before = now;
    // Told by the next sample: this one does not wait.
    if (this.#all.length % GPU_EVERY === 0) void this.#ask();
  }

  async end(): Promise<HostLoad> {
    await this.#ask();
    this.take();
    return hostLoadOf(machineCpus(), this.#all, evenly(this.#all, KEPT));
  }

  #note({ load1 }: LoadReading, steal: number | null): void {
    this.#all.push({
      at: new Date(this.#options.clock.now()).toISOString(),
      load1: rounded(load1, 2),
      stealPercent: rounded(steal, 1),
      gpuProcesses: this.#gpuProcesses,
      othersSessions: this.#others,
    });
    // What was told of one moment is not true of the next.
    this.#gpuProcesses = null;
  }

  /** One question at a time. The tool never fails; one that hangs is given up. */
  async #ask(): Promise<void> {
    if (this.#options.gpus === null) return;
    this.#asking ??= this.#answer();
    await this.#asking;
  }

  async #answer(): Promise<void> {
    this.#gpuProcesses = mostProcesses(await (this.#options.askGpus ?? gpuFacts)());
    this.#asking = null;
  }
}

/** The first, the last, and others at even distances; at most `most`, which is at least two. Pure. */
export function evenly<T>(all: readonly T[], most: number): T[] {
  if (all.length <= most) return [...all];
  return Array.from(
    { length: most },
    (_, at) => all[Math.round((at * (all.length - 1)) / (most - 1))],
  ).filter((each) => each !== undefined);
}

function mostProcesses(gpus: readonly GpuFacts[] | null): number | null {
  return gpus === null || gpus.length === 0
    ? null
    : Math.max(...gpus.map(({ processes }) => processes.length));
}

function rounded(value: number | null, digits: number): number | null {
  return value === null ? null : Number(value.toFixed(digits));
}
