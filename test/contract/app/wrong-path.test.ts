import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { clean } from '../../../src/app/clean.ts';
import { demo } from '../../../src/app/demo.ts';
import { doctor } from '../../../src/app/doctor.ts';
import { plan } from '../../../src/app/plan.ts';
import { report } from '../../../src/app/report.ts';
import { run } from '../../../src/app/run.ts';
import { status } from '../../../src/app/status.ts';
import { verify } from '../../../src/app/verify.ts';
import { type Host, LIBERO_TARGET_ID, startHost } from '../../../src/host/host.ts';
import { readInputs } from '../../../src/inputs/read-inputs.ts';
import { planSuite } from '../../../src/job/prepare/plan-suite.ts';
import type { Verb } from '../../../src/job/verb.ts';
import { type Called, called } from './verb-context.ts';

let folder: string;
let host: Host | null = null;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rb-wrong-path-'));
});
afterEach(async () => {
  await host?.stop();
  host = null;
  rmSync(folder, { recursive: true, force: true });
});

async function failure(verb: Verb, ...argv: readonly string[]): Promise<unknown> {
  const call = await called(argv);
  return verb(call.verb).then(
    () => 'no failure',
    (error: unknown) => error,
  );
}

describe('a mistyped path', () => {
  it.each([
    ['run', run],
    ['plan', plan],
    ['status', status],
    ['clean', clean],
  ] as const)('of a workspace is said to be one by %s, and nothing is made there', async (name, verb) => {
    const refused = { exitCode: 3, problems: [{ code: 'RB233', where: folder }] };
    expect(await failure(verb, name, '--workspace', folder)).toMatchObject(refused);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('of a bundle is a usage error, not evidence that does not verify', async () => {
    const file = join(folder, 'notes.txt');
    writeFileSync(file, 'x');
    for (const place of [join(folder, 'nowhere'), join(folder, 'nowhere.tar.gz'), file])
      for (const [name, verb] of [['verify', verify] as const, ['report', report] as const])
        expect(await failure(verb, name, place)).toMatchObject({
          exitCode: 2,
          problems: [
            // What is there may be the result of another tool, and is none.
            place === file && name === 'report'
              ? { code: 'RB900', where: 'notes.txt' }
              : { code: 'RB708', value: place },
          ],
        });
    // A folder that is there and holds no bundle is one that does not verify.
    expect(await failure(verify, 'verify', folder)).toMatchObject({ exitCode: 5 });
  });
});

describe('a mistyped suite or mode', () => {
  it('is answered with the names that are known', async () => {
    host = await startHost({ startWatchdog: false });
    const where = ['--workspace', host.workspace, '--target', LIBERO_TARGET_ID];
    const names = expect.stringContaining('libero_spatial, libero_object');
    expect(await failure(plan, 'plan', ...where, '--suite', 'libero_spacial')).toMatchObject({
      problems: [{ code: 'RB340', fix: names }],
    });
    expect(await failure(run, 'run', ...where, '--mode', 'report')).toMatchObject({
      exitCode: 2,
      problems: [{ code: 'RB107', value: 'report' }],
    });
    const request = {
      ...({ suite: 'libero_spacial', purpose: 'adhoc', skillruntime: 'pi05', tasks: [], base: {} } as const),
      ...({ arms: ['candidate'], actions: null, inputs: readInputs({ workspace: folder }) } as const),
    };
    expect(() => planSuite(request)).toThrow(/RB334 .*libero_spacial.*limits are known for libero_spatial, /);
  });
});

describe('the demo', () => {
  it('ends with what to do next; kept up, it offers commands that work as they stand, until it is stopped', async () => {
    const stopping = new AbortController();
    const call = await called(['demo', '--serve']);
    const ended = demo({ ...call.verb, signal: stopping.signal });
    let workspace = '';
    try {
      await vi.waitFor(() => expect(call.log.lines.join('\n')).toContain('until Ctrl-C'), 200_000);
      const said = call.log.lines.join('\n');
      const page = /open in a browser +(\S+)/.exec(said)?.[1] ?? '';
      const bundle = /check offline .* verify (\S+)/.exec(said)?.[1] ?? '';
      workspace = /stays until you remove it: (\S+)/.exec(said)?.[1] ?? '';
      expect(readFileSync(page, 'utf8')).not.toContain('Before the decision');
      expect(await verify((await called(['verify', bundle])).verb)).toBe(0);
      const reporting = await called(['report', bundle]);
      expect(await report(reporting.verb)).toBe(0);
      expect(reporting.log.lines.join('\n')).toContain('--report-dir names a folder');
      const offered = await offeredCommands(said);
      expect(offered).toHaveLength(6);
      const [check, asked, worse, qualifying, release] = offered;
      // A qualification holds for its floors only, and the release comes right after it.
      expect(release?.verb.inputs.minSuccessRate).toBe(0.6);
      expect(qualifying?.verb.inputs.minSuccessRate).toBe(0.6);
      expect(await doctor(check?.verb ?? call.verb)).toBe(0);
      expect(check?.printed()).toContain('Nothing was found');
      expect(await plan(asked?.verb ?? call.verb)).toBe(0);
      expect(await run(worse?.verb ?? call.verb)).toBe(1);
    } finally {
      stopping.abort();
    }
    expect(await ended).toBe(0);
    rmSync(workspace, { recursive: true });
  }, 240_000);
});

/** The commands for a second terminal, read as the program reads its own. */
function offeredCommands(said: string): Promise<Called[]> {
  const lines = said.split('until Ctrl-C')[1]?.split('\n') ?? [];
  const commands = lines.flatMap((line) => {
    const command = / ((?:doctor|plan|run|qualify|inventory) --.*)$/.exec(line)?.[1];
    return command === undefined ? [] : [command.split(' ')];
  });
  return Promise.all(commands.map((argv) => called(argv, process.env)));
}
