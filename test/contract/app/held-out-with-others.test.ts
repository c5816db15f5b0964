import { cp, readdir, rm } from 'node:fs/promises';
import * as path from 'node:path';
import { describe, expect, it } from 'vitest';
import { plan } from '../../../src/app/plan.ts';
import { report } from '../../../src/app/report.ts';
import { verify } from '../../../src/app/verify.ts';
import { redactBundle } from '../../../src/bundle/redact-bundle.ts';
import { verifyBundle } from '../../../src/bundle/verify.ts';
import { readJournal } from '../../../src/journal/journal.ts';
import { heldOutSummarySchema } from '../../../src/model/held-out-summary.ts';
import { resultsSchema } from '../../../src/model/results.ts';
import { runFactsSchema } from '../../../src/model/run-facts.ts';
import { parseHeldOut } from '../../../src/plan/held-out-file.ts';
import { heldOutCommitment } from '../../../src/plan/held-out-list.ts';
import {
  DEAD,
  finderOf,
  GOOD,
  heldOutBundle,
  hostsForTests,
  json,
  LIST,
  listFile,
  maskFor,
  runHeldOut,
  textsOf,
} from './held-out-run.ts';
import { called } from './verb-context.ts';

const start = hostsForTests();

describe('held-out cells with other features', () => {
  it('two arms, a redacted copy and a second job come to one verdict from the aggregate', async () => {
    const on = await start({ policies: [DEAD, GOOD] });
    const baseline = ['--baseline-endpoint', on.policies[1]?.endpoint ?? ''];
    const { bundle, outputs } = await runHeldOut(on, [...baseline, '--min-success-rate', '50%']);
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
  });

  it('an early stop of the public cells leaves the held-out ones whole, each part records its policy', async () => {
    const on = await start();
    const { bundle, outputs } = await runHeldOut(on, [
      ...['--tasks', '0-4', '--init-states', '0-9', '--min-success-rate', '10%'],
      ...['--early-stop', 'true', '--record-policy', 'true'],
    ]);
    expect(outputs.verdict).toBe('PASS');
    const results = resultsSchema.parse(await json(bundle, 'results.json'));
    expect(results.earlyStop?.stopped?.decision).toBe('PASS');
    const held = heldOutBundle(bundle);
    const own = resultsSchema.parse(await json(held, 'results.json'));
    expect(own.earlyStop).toBeNull();
    expect(own.arms[0]?.valid).toBe(4);
    for (const folder of [bundle, held]) {
      expect(await verifyBundle(folder)).toEqual([]);
      expect(runFactsSchema.parse(await json(folder, 'run.json')).recording).toBeDefined();
    }
    const mask = await maskFor(bundle);
    expect((await textsOf(bundle)).filter((text) => mask.finds(text))).toEqual([]);
  });

  it('an interruption among the held-out cells is resumed there; the public cells are not run again', async () => {
    const stop = new AbortController();
    const on = await start({
      onTransition: (id, status) => {
        if (/-heldout-h\d+/.test(id) && status === 'succeeded') stop.abort();
      },
    });
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
  });

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
    await cp(first.bundle, third, { recursive: true });
    const fourth = await runHeldOut(on, ['--resume', runId]);
    expect(heldOutSummarySchema.parse(await json(fourth.bundle, 'heldout.json')).attempt).toBe(2);
  });

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
    expect(finderOf(LIST).finds(planned.printed())).toBe(false);
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
  });
});
