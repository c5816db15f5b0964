import { readdir, readFile, writeFile } from 'node:fs/promises';
import * as path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { run } from '../../../src/app/run.ts';
import { verifyBundle } from '../../../src/bundle/verify.ts';
import { walkFolder } from '../../../src/bundle/walk.ts';
import { type Host, type HostOptions, startHost } from '../../../src/host/host.ts';
import { heldOutCommitment, parseHeldOut } from '../../../src/plan/held-out.ts';
import { heldOutMask } from '../../../src/plan/held-out-mask.ts';
import { planSchema } from '../../../src/plan/plan.ts';
import type { Log } from '../../../src/platform/ports.ts';
import { heldOutSummarySchema } from '../../../src/results/held-out.ts';
import { runFactsSchema } from '../../../src/results/run-facts.ts';
import { leftOversIn } from '../queue/bench-run.ts';
import { called } from './verb-context.ts';

let host: Host | null = null;
afterEach(async () => {
  await host?.stop();
  host = null;
});

const SALT = 'aa11bb22cc33dd44ee55ff6600778899';
const LIST = `salt: ${SALT}
suite: libero_spatial
cells:
  - {task: 1, init-states: 20-22}
  - {task: 7, init-states: 30}
`;
const GOOD = { mode: { kind: 'good' }, metadata: { model: 'pi', checkpoint: 'base' } } as const;

async function start(policies: NonNullable<HostOptions['policies']> = [GOOD]): Promise<Host> {
  host = await startHost({ policies, watchdog: { pollMs: 10 } });
  return host;
}

async function listFile(on: Host, text = LIST): Promise<string> {
  const file = path.join(on.workspace, '..', `held-out-${path.basename(on.workspace)}.yml`);
  await writeFile(file, text, { mode: 0o600 });
  return file;
}

/** Everything that a job says, progress and group titles included. */
class Everything implements Log {
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

/** A benchmark with held-out cells, on the command line. */
async function runHeldOut(on: Host, more: readonly string[] = [], env: Record<string, string> = {}) {
  const call = await called(
    [
      'run',
      ...['--workspace', on.workspace, '--suite', 'libero_spatial', '--json', '--policy-wait', '1'],
      ...['--policy-endpoint', on.policies[0]?.endpoint ?? ''],
      ...['--tasks', '0-1', '--init-states', '0-1', '--heldout-file', await listFile(on)],
      ...more,
    ],
    env,
  );
  const log = new Everything();
  const exitCode = await run({ ...call.verb, log });
  const outputs: Record<string, string> = JSON.parse(call.printed());
  return { exitCode, outputs, bundle: outputs['bundle-path'] ?? '', printed: call.printed(), log };
}

const json = async (folder: string, name: string): Promise<unknown> =>
  JSON.parse(await readFile(path.join(folder, name), 'utf8'));

/** Folder of the held-out bundle beside a public one. */
function heldOutBundle(bundle: string, attempt = 1): string {
  return path.join(`${path.dirname(bundle)}-heldout`, `attempt-${attempt}`);
}

/** Languages that the held-out cells alone have, as their own plan knows them. */
async function maskFor(bundle: string) {
  const held = planSchema.parse(await json(heldOutBundle(bundle), 'plan.json'));
  const open = planSchema.parse(await json(bundle, 'plan.json'));
  const known = new Set(open.tasks.map(({ language }) => language));
  const languages = held.tasks.map(({ language }) => language).filter((language) => !known.has(language));
  expect(languages).toHaveLength(1);
  return heldOutMask(parseHeldOut(LIST, 'list'), languages);
}

describe('a run with held-out cells', () => {
  it('measures them beside the public ones and lets nothing but their aggregate out', async () => {
    const on = await start();
    const { exitCode, outputs, bundle, printed, log } = await runHeldOut(on, ['--min-success-rate', '50%']);
    expect(exitCode).toBe(0);
    expect(outputs).toMatchObject({ verdict: 'PASS', planned: '4' });
    const open = planSchema.parse(await json(bundle, 'plan.json'));
    expect(open.heldOut).toEqual({ commitment: heldOutCommitment(parseHeldOut(LIST, 'list')), count: 4 });
    const summary = heldOutSummarySchema.parse(await json(bundle, 'heldout.json'));
    expect(summary.arms).toMatchObject([{ arm: 'candidate', planned: 4, valid: 4 }]);
    // The held-out bundle is whole, verifiable and tells where it belongs.
    const held = heldOutBundle(bundle);
    expect(await verifyBundle(held)).toEqual([]);
    expect(await verifyBundle(bundle)).toEqual([]);
    const facts = runFactsSchema.parse(await json(held, 'run.json'));
    expect(facts.heldOutOf).toEqual({ runId: path.basename(path.dirname(bundle)), attempt: 1 });
    expect(planSchema.parse(await json(held, 'plan.json')).cells).toHaveLength(4);
    const sessions = await readdir(path.join(held, 'raw'));
    expect(sessions.every((id) => /-heldout-h0[1-4]-r0-candidate-a0$/.test(id))).toBe(true);
    // Nothing that left names a cell: the log, the results on stdout, every file of the public bundle, the report.
    const mask = await maskFor(bundle);
    const said = [log.text, printed];
    const { files } = walkFolder(bundle);
    for (const file of files) said.push(await readFile(path.join(bundle, file), 'utf8'));
    for (const name of await readdir(on.workspace)) {
      if (name.startsWith('BENCHMARK_REPORT'))
        said.push(await readFile(path.join(on.workspace, name), 'utf8'));
    }
    expect(said.length).toBeGreaterThan(15);
    expect(said.filter((text) => mask.finds(text))).toEqual([]);
    // The check itself finds them where they may be.
    expect(mask.finds(await readFile(path.join(held, 'episodes.jsonl'), 'utf8'))).toBe(true);
    const page = await readFile(
      path.join(bundle, `BENCHMARK_REPORT_libero_spatial_${outputs['run-id']}.md`),
      'utf8',
    );
    expect(page).toMatch(/Held-out: \d of 4 valid episodes succeeded/);
    expect(page).toContain('The 4 held-out cells are not named.');
    expect(log.text).toContain('Now the 4 held-out cells');
    expect(await leftOversIn(on.workspace)).toEqual([]);
  }, 60_000);
});
