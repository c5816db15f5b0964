import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sealRun } from '../../src/app/build-bundle.ts';
import { verifyBundle } from '../../src/bundle/verify.ts';
import { decideFromRecords } from '../../src/verdict/from-records.ts';
import { planOf, runFactsOf, writeAttempt } from '../contract/bundle/bundle-builder.ts';

/**
 * Collect + aggregate + report of many episodes beside a plain Python script of the same work on the same files.
 * Arguments: number of episodes (10,000 by default). Each side runs in a process of its own for time and peak memory.
 */
const episodes = Number(process.argv[2] ?? 10_000);
const role = process.argv[3] ?? 'compare';
const root = process.argv[4] ?? mkdtempSync(join(tmpdir(), 'rb-bench-'));
const bundleDir = join(root, 'attempt-1');

if (role === 'seal') await measure('seal', () => seal());
else if (role === 'verify') await measure('verify', () => verify());
else compare();

async function seal(): Promise<string> {
  const plan = planOf(episodes);
  const { results } = await sealRun({
    workspace: root,
    bundleDir,
    plan,
    run: runFactsOf(plan),
    decide: (own, records) => decideFromRecords(own, records),
    template: null,
    secrets: [],
    complete: true,
  });
  const rate = results.arms[0]?.successRate;
  return `${rate?.k}/${rate?.n}`;
}

async function verify(): Promise<string> {
  return `${(await verifyBundle(bundleDir)).length} differences`;
}

async function measure(name: string, work: () => Promise<string>): Promise<void> {
  const before = process.hrtime.bigint();
  const answer = await work();
  const seconds = Number(process.hrtime.bigint() - before) / 1e9;
  const { user, system } = process.cpuUsage();
  const cpuSeconds = (user + system) / 1e6;
  const peakMb = process.resourceUsage().maxRSS / 1024;
  process.stdout.write(`${JSON.stringify({ name, answer, seconds, cpuSeconds, peakMb })}\n`);
}

interface Measured {
  readonly answer: string;
  readonly seconds: number;
  /** User and system time of the whole process, start-up included: other jobs on the machine do not change it. */
  readonly cpuSeconds: number;
  readonly peakMb: number;
}

function compare(): void {
  try {
    const plan = planOf(episodes);
    writeAttempt(bundleDir, plan);
    // Once unmeasured, so that both read from the page cache.
    const script = fileURLToPath(new URL('../../test/bench/plain_report.py', projectUrl()));
    const python = run('python3', [script, bundleDir, join(root, 'python')]);
    const ours = run(process.execPath, [fileURLToPath(import.meta.url), String(episodes), 'seal', root]);
    const check = run(process.execPath, [fileURLToPath(import.meta.url), String(episodes), 'verify', root]);
    const again = run('python3', [script, bundleDir, join(root, 'python')]);
    print({ ours, check, python: again.cpuSeconds < python.cpuSeconds ? again : python });
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

/** The bundled benchmark lies outside the project; the driver names the project's folder. */
function projectUrl(): URL {
  const folder = process.env['RB_BENCH_ROOT'];
  return folder === undefined ? new URL(import.meta.url) : new URL(`file://${folder}/test/bench/`);
}

function run(command: string, args: readonly string[]): Measured {
  const done = spawnSync(command, args, { encoding: 'utf8', maxBuffer: 1 << 26 });
  if (done.status !== 0) throw new Error(`${command} failed: ${done.stderr || done.error?.message}`);
  // Safe: the line is our own measurement, printed by the child a moment ago.
  return JSON.parse(done.stdout.trim().split('\n').at(-1) ?? '') as Measured;
}

function print(found: { ours: Measured; check: Measured; python: Measured }): void {
  const line = (name: string, each: Measured): string =>
    `${name.padEnd(34)} ${each.cpuSeconds.toFixed(2).padStart(7)} s CPU ${each.seconds.toFixed(2).padStart(7)} s ${each.peakMb.toFixed(0).padStart(6)} MB  ${each.answer}`;
  const ratio = found.python.cpuSeconds / found.ours.cpuSeconds;
  const memory = found.python.peakMb / found.ours.peakMb;
  process.stdout.write(
    [
      `collect + aggregate + report, ${episodes} episodes`,
      line('ours: all of it, hashed and sealed', found.ours),
      line('plain Python: read, count, report', found.python),
      line('ours: verify (hash and recompute)', found.check),
      `ratio Python / ours: CPU time ${ratio.toFixed(2)}, peak memory ${memory.toFixed(2)} (above 1: ours is ahead)`,
      '',
    ].join('\n'),
  );
}
