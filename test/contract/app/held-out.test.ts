import { cp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import * as path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { accept } from '../../../src/app/accept.ts';
import { guardOf, withMaskedErrors } from '../../../src/app/held-out/guard.ts';
import { inventory } from '../../../src/app/inventory.ts';
import { plan } from '../../../src/app/plan.ts';
import { readBaselineFile } from '../../../src/app/read-baseline-file.ts';
import { report } from '../../../src/app/report.ts';
import { run } from '../../../src/app/run.ts';
import { verify } from '../../../src/app/verify.ts';
import { manifestSchema } from '../../../src/bundle/manifest.ts';
import { redactBundle } from '../../../src/bundle/redact-bundle.ts';
import { verifyBundle } from '../../../src/bundle/verify.ts';
import { walkFolder } from '../../../src/bundle/walk.ts';
import { RbError } from '../../../src/errors/rb-error.ts';
import { type Host, type HostOptions, startHost } from '../../../src/host/host.ts';
import { readJournal } from '../../../src/journal/journal.ts';
import { heldOutCommitment, parseHeldOut } from '../../../src/plan/held-out.ts';
import { heldOutMask } from '../../../src/plan/held-out-mask.ts';
import { planSchema } from '../../../src/plan/plan.ts';
import type { Log } from '../../../src/platform/ports.ts';
import { heldOutSummarySchema } from '../../../src/results/held-out.ts';
import { type RunFacts, runFactsSchema } from '../../../src/results/run-facts.ts';
import { releaseReasons } from '../../../src/verdict/release.ts';
import { makeRunFacts } from '../../unit/results/record-builder.ts';
import { planOf } from '../../unit/verdict/records.ts';
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
const DEAD = { mode: { kind: 'bad', skill: 0 }, metadata: { model: 'pi', checkpoint: 'new' } } as const;

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
async function runHeldOut(
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

const json = async (folder: string, name: string): Promise<unknown> =>
  JSON.parse(await readFile(path.join(folder, name), 'utf8'));

async function filesOf(folder: string): Promise<string[]> {
  return walkFolder(folder).files.map((file) => path.join(folder, file));
}

async function textsOf(folder: string): Promise<string[]> {
  return Promise.all((await filesOf(folder)).map((file) => readFile(file, 'utf8')));
}

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
    const said = [log.text, printed, ...(await textsOf(bundle))];
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

describe('what must not happen with held-out cells', () => {
  it('a runtime error that names one costs that session its evidence and the run its success, and is never said', async () => {
    const on = await start();
    // The target of the public sessions tells of a cell that is held out.
    const leak = 'the file of task 1, initial state 21 is broken';
    on.target.faults.errors.set('target.reset', { pythonName: 'RuntimeError', message: leak });
    const { exitCode, bundle, printed, log } = await runHeldOut(on, [
      '--retry-errors',
      '0',
      '--max-consecutive-errors',
      '50',
    ]);
    expect(exitCode).toBe(3);
    const held = await filesOf(`${bundle}.quarantine`);
    expect(held.length).toBeGreaterThan(0);
    expect(await readFile(held[0] ?? '', 'utf8')).toContain('initial state 21');
    const published = [log.text, printed, ...(await textsOf(bundle))];
    expect(published.filter((text) => text.includes('initial state 21'))).toEqual([]);
    expect(log.text).toContain('heldout-0');
    expect(manifestSchema.parse(await json(bundle, 'manifest.json')).leftOut[0]?.reason).toContain(
      'held-out cell',
    );
  }, 60_000);

  it('an exception of ours about a held-out cell is told without it', async () => {
    const on = await start();
    // A foreign entry has the id of a cell target: RB404 names it, and the id is the digest of the cell.
    const list = parseHeldOut(LIST, 'list');
    const guard = guardOf([list]);
    guard.learn('libero_spatial', ['push the drawer of the cabinet shut']);
    const problem = {
      code: 'RB404',
      where: 'TARGETS.md t1-i21',
      message: 'the id of task 7, initial state 30 (push the drawer of the cabinet shut) is taken.',
      value: 'rb-x-t07-i030-r0-candidate-a0',
      fix: 'Remove the entry of t1-i22.',
      severity: 'fatal',
    } as const;
    const thrown = await withMaskedErrors(guard, () => Promise.reject(new RbError(3, [problem]))).catch(
      (error: unknown) => error,
    );
    expect(thrown).toBeInstanceOf(RbError);
    expect(guard.finds(JSON.stringify(thrown instanceof RbError ? thrown.problems : ''))).toBe(false);
    expect(String(thrown)).toMatch(/RB404 TARGETS.md heldout-0\d: the id of heldout-0\d \(a held-out task\)/);
    const bug = new TypeError('no cell t1-i20', { cause: new Error('task_id=1 init_state_id=20') });
    const again = await withMaskedErrors(guard, () => Promise.reject(bug)).catch((error: unknown) => error);
    expect(again).toBe(bug);
    expect(guard.finds(`${bug.stack} ${String(bug.cause)}`)).toBe(false);
    expect(on.watchdogAlive()).toBe(true);
  });

  it.each([
    ['a shard', ['--shard', '1/2'], 'RB430'],
    ['cells that are asked for openly', ['--tasks', '1,3', '--init-states', '0,20,21'], 'RB428'],
    ['a suite that is not run', ['--suite', 'libero_object'], 'RB429'],
  ])('%s is refused, by numbers only', async (_what, more, code) => {
    const on = await start();
    const failed = await runHeldOut(on, more).catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(RbError);
    if (!(failed instanceof RbError)) return;
    expect(failed.problems.map((problem) => problem.code)).toEqual([code]);
    expect(heldOutMask(parseHeldOut(LIST, 'list'), []).finds(failed.message)).toBe(false);
    if (code === 'RB428') expect(failed.message).toContain('2 of 4 are among the cells');
    expect(await readFile(path.join(on.workspace, 'SESSIONS.md'), 'utf8')).not.toContain('rb-');
  });

  it('a task that the target does not list, and a file inside the checkout, are refused', async () => {
    const on = await start();
    const unknown = await listFile(on, LIST.replace('task: 7', 'task: 77'));
    await expect(runHeldOut(on, ['--heldout-file', unknown])).rejects.toMatchObject({
      problems: [{ code: 'RB429', message: expect.stringContaining('1 of the held-out tasks') }],
    });
    const checkout = { GITHUB_WORKSPACE: path.dirname(on.workspace) };
    await expect(runHeldOut(on, [], checkout)).rejects.toMatchObject({ problems: [{ code: 'RB427' }] });
  });

  it('a held-out bundle is neither reported on, nor accepted, nor compared with', async () => {
    const on = await start();
    const { bundle } = await runHeldOut(on);
    const held = heldOutBundle(bundle);
    const reported = await called(['report', held]);
    await expect(report(reported.verb)).rejects.toMatchObject({ exitCode: 3, problems: [{ code: 'RB431' }] });
    const accepted = await called([
      'accept',
      held,
      '--reason',
      'no',
      '--out',
      path.join(on.workspace, 'b.jsonl'),
    ]);
    await expect(accept(accepted.verb)).rejects.toMatchObject({ exitCode: 3, problems: [{ code: 'RB431' }] });
    expect(await readBaselineFile(held)).toMatchObject({ kind: 'unreadable' });
    const listed = await called(['inventory', '--workspace', on.workspace, '--json']);
    expect(await inventory(listed.verb)).toBe(0);
    const runId = path.basename(path.dirname(bundle));
    expect(JSON.parse(listed.printed()).runs).toMatchObject([
      { runId, attempts: [{ attempt: 1 }] },
      { runId: `${runId}-heldout`, attempts: [{ heldOutOf: runId }] },
    ]);
  }, 60_000);
});

describe('held-out cells with other features', () => {
  it('two arms, a redacted copy and a second job come to one verdict from the aggregate', async () => {
    const on = await start([DEAD, GOOD]);
    const baseline = ['--baseline-endpoint', on.policies[1]?.endpoint ?? ''];
    const { bundle, outputs } = await runHeldOut(on, [...baseline, '--min-success-rate', '0']);
    expect(outputs.verdict).toBe('FAIL');
    const summary = heldOutSummarySchema.parse(await json(bundle, 'heldout.json'));
    expect(summary.arms.map(({ arm, planned }) => [arm, planned])).toEqual([
      ['candidate', 4],
      ['baseline', 4],
    ]);
    expect(summary.paired).toMatchObject({ pairs: 4, fixed: 0 });
    const copy = path.join(on.workspace, 'copy');
    await redactBundle({
      sealedDir: bundle,
      outDir: copy,
      decide: () => ({ verdict: 'PASS', reasons: [], warnings: [] }),
      template: null,
      secrets: [],
      hidden: [on.workspace],
    });
    expect(await verifyBundle(copy)).toEqual([]);
    expect(await json(copy, 'heldout.json')).toEqual(summary);
    const again = await called(['report', copy, '--json']);
    expect(await report(again.verb)).toBe(1);
    expect(JSON.parse(again.printed()).reasons).toContain('heldout');
    // Without the aggregate nothing of it is believed.
    await rm(path.join(copy, 'heldout.json'));
    expect((await verifyBundle(copy)).map(({ kind, path: file }) => [kind, file])).toContainEqual([
      'missing',
      'heldout.json',
    ]);
  }, 60_000);

  it('an interruption among the held-out cells is resumed there; the public cells are not run again', async () => {
    const stop = new AbortController();
    host = await startHost({
      policies: [GOOD],
      watchdog: { pollMs: 10 },
      onTransition: (id, status) => {
        if (/-heldout-h\d+/.test(id) && status === 'succeeded') stop.abort();
      },
    });
    const on = host;
    const first = await runHeldOut(on, [], {}, stop.signal);
    expect(first.exitCode).toBe(4);
    const runId = path.basename(path.dirname(first.bundle));
    expect(await readdir(first.bundle)).not.toContain('manifest.json');
    expect(first.log.text).toContain('held-out cells: the run was interrupted');
    const second = await runHeldOut(on, ['--resume', runId]);
    expect(second.exitCode).toBe(0);
    expect(path.basename(second.bundle)).toBe('attempt-2');
    const public2 = (await readJournal(second.bundle)).records.map(({ event }) => event.type);
    expect(public2).not.toContain('queued');
    const held = heldOutBundle(second.bundle, 2);
    const raw = await readdir(path.join(held, 'raw'));
    expect(raw).toHaveLength(4);
    expect(await verifyBundle(held)).toEqual([]);
    expect(await verifyBundle(second.bundle)).toEqual([]);
  }, 60_000);

  it('a sealed held-out result of a cut-off attempt is kept, that of a finished one is not', async () => {
    const on = await start();
    const first = await runHeldOut(on);
    const runId = path.basename(path.dirname(first.bundle));
    const before = heldOutSummarySchema.parse(await json(first.bundle, 'heldout.json'));
    // As a kill between the two seals leaves it.
    for (const name of ['manifest.json', 'heldout.json']) await rm(path.join(first.bundle, name));
    const second = await runHeldOut(on, ['--resume', runId]);
    expect(second.exitCode).toBe(0);
    expect(heldOutSummarySchema.parse(await json(second.bundle, 'heldout.json'))).toEqual(before);
    expect(second.log.text).toContain('were measured before');
    // Somebody else's unfinished attempt does not lead to an old result.
    const third = path.join(path.dirname(first.bundle), 'attempt-3');
    await cp(second.bundle, third, { recursive: true });
    for (const name of ['manifest.json', 'heldout.json']) await rm(path.join(third, name));
    const fourth = await runHeldOut(on, ['--resume', runId]);
    expect(heldOutSummarySchema.parse(await json(fourth.bundle, 'heldout.json')).attempt).toBe(2);
  }, 60_000);

  it('plan prints the commitment and not one cell; verify takes the revealed list', async () => {
    const on = await start();
    const file = await listFile(on);
    const where = [
      '--workspace',
      on.workspace,
      '--suite',
      'libero_spatial',
      '--tasks',
      '0-1',
      '--init-states',
      '0-1',
    ];
    const planned = await called(['plan', ...where, '--heldout-file', file]);
    expect(await plan(planned.verb)).toBe(0);
    expect(planned.printed()).toContain(heldOutCommitment(parseHeldOut(LIST, 'list')));
    expect(heldOutMask(parseHeldOut(LIST, 'list'), []).finds(planned.printed())).toBe(false);
    const { bundle } = await runHeldOut(on);
    const check = async (folder: string, list: string) => {
      const call = await called(['verify', folder, '--heldout', list]);
      return { exitCode: await verify(call.verb), text: call.printed() };
    };
    expect(await check(bundle, file)).toMatchObject({
      exitCode: 0,
      text: expect.stringContaining('4 held-out cells'),
    });
    const held = await check(heldOutBundle(bundle), file);
    const { manifestSha256 } = heldOutSummarySchema.parse(await json(bundle, 'heldout.json'));
    expect(held).toMatchObject({ exitCode: 0, text: expect.stringContaining(manifestSha256) });
    const other = await listFile(on, LIST.replace('20-22', '20-23'));
    expect(await check(bundle, other)).toMatchObject({
      exitCode: 5,
      text: expect.stringContaining('committed to'),
    });
  }, 60_000);
});

describe('cells that a policy was selected on', () => {
  it('are refused by a release, found by run id, folder and file, and told for any other run', async () => {
    const on = await start();
    const { bundle, outputs } = await runHeldOut(on);
    const runId = outputs['run-id'] ?? '';
    const again = (more: readonly string[]) => runHeldOut(on, more);
    for (const from of [runId, bundle, path.join(bundle, 'plan.json'), path.join(bundle, 'episodes.jsonl')]) {
      const refused = await again(['--purpose', 'release', '--selected-from', from]).catch(
        (error: unknown) => error,
      );
      expect(refused).toMatchObject({ exitCode: 3, problems: [{ code: 'RB432' }] });
      const all = from === runId ? '8 of 8' : '4 of 8';
      expect(String(refused)).toContain(`${all} planned cells`);
      expect(heldOutMask(parseHeldOut(LIST, 'list'), []).finds(String(refused))).toBe(false);
    }
    const told = await again(['--selected-from', bundle]);
    expect(told.exitCode).toBe(0);
    const { selection } = runFactsSchema.parse(await json(told.bundle, 'run.json'));
    expect(selection).toEqual({ from: [{ name: 'attempt-1', cells: 4 }], overlap: 4 });
    expect((await textsOf(told.bundle)).join('\n')).toContain(
      'the policy was chosen by attempt-1 (4 cells); 4 of them',
    );
    await expect(again(['--selected-from', 'no-such-run'])).rejects.toMatchObject({
      problems: [{ code: 'RB433' }],
    });
  }, 90_000);

  it('make a release INVALID where a bundle admits them', () => {
    const release = { ...planOf({ tasks: 1, initStates: 2 }), purpose: 'release' as const };
    const codes = (selection: RunFacts['selection']) =>
      releaseReasons({ plan: release, run: makeRunFacts({ selection }), baseline: null }).map(
        ({ code }) => code,
      );
    expect(codes({ from: [], overlap: 1 })).toContain('selected_cells');
    expect(codes({ from: [], overlap: 0 })).not.toContain('selected_cells');
    expect(codes(undefined)).not.toContain('selected_cells');
  });
});
