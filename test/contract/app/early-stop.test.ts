import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { report } from '../../../src/app/report.ts';
import { run } from '../../../src/app/run.ts';
import { redactBundle } from '../../../src/bundle/redact-bundle.ts';
import { verifyBundle } from '../../../src/bundle/verify.ts';
import { RbError } from '../../../src/errors/rb-error.ts';
import { type Host, startHost } from '../../../src/host/host.ts';
import { chainLine, FIRST_TIP } from '../../../src/journal/chain.ts';
import { readJournal } from '../../../src/journal/journal.ts';
import { episodeRecordSchema } from '../../../src/model/episode-record.ts';
import { resultsSchema } from '../../../src/model/results.ts';
import { leftOversIn } from '../queue/bench-run.ts';
import { called } from './verb-context.ts';

/** 50 cells of one policy, so that an ordinary run takes seconds. */
const CELLS = ['--suite', 'libero_spatial', '--tasks', '0-4', '--init-states', '0-9', '--policy-wait', '1'];

let host: Host;
let scratch: string;
beforeAll(async () => {
  scratch = await mkdtemp(path.join(tmpdir(), 'rollout-bench-early-'));
  host = await startHost({ policies: [{ mode: { kind: 'good' } }], watchdog: { pollMs: 10 } });
});
afterAll(async () => {
  await host.stop();
  await rm(scratch, { recursive: true, force: true });
});
afterEach(() => host.policies[0]?.setMode({ kind: 'good' }));

async function measure(...more: readonly string[]) {
  const call = await called([
    ...['run', '--workspace', host.workspace, '--policy-endpoint', host.policyEndpoint, '--json'],
    ...CELLS,
    ...more,
  ]);
  const exitCode = await run(call.verb);
  const outputs: Record<string, string> = JSON.parse(call.printed());
  const bundle = outputs['bundle-path'] ?? '';
  const results = resultsSchema.parse(JSON.parse(await readFile(path.join(bundle, 'results.json'), 'utf8')));
  const lines = (await readFile(path.join(bundle, 'episodes.jsonl'), 'utf8')).trimEnd().split('\n');
  const records = lines.map((line) => episodeRecordSchema.parse(JSON.parse(line)));
  return { exitCode, outputs, bundle, results, records };
}

async function refusal(...more: readonly string[]): Promise<unknown> {
  const call = await called([
    ...['run', '--workspace', host.workspace, '--policy-endpoint', host.policyEndpoint],
    ...CELLS,
    ...more,
  ]);
  return run(call.verb).then(
    () => null,
    (thrown: unknown) => thrown,
  );
}

describe('a run against a baseline by path', () => {
  let baseline: string;
  beforeAll(async () => {
    const measured = await measure('--baseline', 'none');
    expect(measured.results.arms[0]).toMatchObject({ planned: 50, valid: 50 });
    baseline = measured.bundle;
  });

  it('stops a dead policy after a few cells, saves most of the plan, and can be checked', async () => {
    host.policies[0]?.setMode({ kind: 'bad', skill: 0 });
    const { exitCode, outputs, bundle, results, records } = await measure(
      '--early-stop',
      'true',
      '--baseline',
      baseline,
    );
    expect({ exitCode, verdict: outputs.verdict }).toEqual({ exitCode: 1, verdict: 'FAIL' });
    const stopped = results.earlyStop?.stopped;
    expect(stopped).toMatchObject({ decision: 'FAIL', planned: 50, cells: 50 });
    expect(stopped?.prefix).toBeLessThanOrEqual(15);
    expect(stopped?.notRun).toBeGreaterThan(0.65 * 50);
    // Window of two: at most one more session was at work when the verdict was proven.
    expect(stopped?.afterStop).toBeLessThanOrEqual(1);
    expect(results.arms[0]).toMatchObject({
      planned: 50,
      valid: stopped?.prefix,
      unneeded: 50 - (stopped?.prefix ?? 0),
      rateOverPlanned: { k: 0, n: stopped?.prefix },
    });
    for (const { position, outcome } of records) {
      if (position < (stopped?.prefix ?? 0)) expect(outcome).toBe('failure');
      else expect(['not_run', 'after_stop']).toContain(outcome);
    }
    expect(await verifyBundle(bundle)).toEqual([]);
    expect(await leftOversIn(host.workspace)).toEqual([]);
    // So does the copy for publishing.
    const outDir = path.join(scratch, 'redacted', 'attempt-1');
    const redacted = await redactBundle({
      sealedDir: bundle,
      outDir,
      template: null,
      secrets: [],
      hidden: [host.workspace],
    });
    expect(redacted.results.earlyStop).toEqual(results.earlyStop);
    expect(await verifyBundle(outDir)).toEqual([]);
    // The bundle alone gives the same verdict, whatever baseline the report would take otherwise.
    const again = await called(['report', bundle, '--json']);
    expect(await report(again.verb)).toBe(1);
    expect(JSON.parse(again.printed())).toMatchObject({ verdict: 'FAIL', regressed: outputs.regressed });
  });

  it('is found out when its journal stops where the outcomes prove nothing', async () => {
    host.policies[0]?.setMode({ kind: 'bad', skill: 0 });
    const { bundle } = await measure('--early-stop', 'true', '--baseline', baseline);
    const forged = path.join(scratch, 'forged', 'attempt-1');
    await cp(bundle, forged, { recursive: true });
    let tip = FIRST_TIP;
    const lines: string[] = [];
    for (const { at, event } of (await readJournal(bundle)).records) {
      const told = event.type === 'early_stop' ? { ...event, prefix: 3 } : event;
      const next = chainLine(tip, at, told);
      lines.push(`${next.line}\n`);
      tip = next.tip;
    }
    await writeFile(path.join(forged, 'journal.jsonl'), lines.join(''));
    const differences = await verifyBundle(forged);
    expect(differences).toContainEqual(
      expect.objectContaining({
        kind: 'journal',
        message: expect.stringContaining('it stopped with FAIL after 3'),
      }),
    );
  });

  it('goes on to the end when nothing is proven', async () => {
    const { outputs, results } = await measure('--early-stop', 'true', '--baseline', baseline);
    // 50 agreeing pairs cannot rule out 5 points.
    expect(outputs.verdict).toBe('INCONCLUSIVE');
    expect(results.earlyStop).toEqual({ stopped: null });
    expect(results.arms[0]).toMatchObject({ valid: 50, unneeded: 0 });
  });

  it('is refused when the baseline measured something else', async () => {
    const error = await refusal('--early-stop', 'true', '--baseline', baseline, '--max-steps', '100');
    expect(error).toMatchObject({ exitCode: 2, problems: [{ code: 'RB641' }] });
    expect(error).toMatchObject({ message: expect.stringContaining('max_steps') });
    const absent = await refusal('--early-stop', 'true', '--baseline', path.join(scratch, 'nowhere'));
    expect(absent).toMatchObject({ exitCode: 2, problems: [{ code: 'RB612' }] });
  });
});

describe('a run with a floor only', () => {
  it('stops when the floor is out of reach', async () => {
    host.policies[0]?.setMode({ kind: 'bad', skill: 0 });
    const { exitCode, outputs, bundle, results } = await measure(
      '--early-stop',
      'true',
      '--min-success-rate',
      '90%',
      '--baseline',
      'none',
    );
    // More than 5 failures of 50 leave less than 90 %.
    expect(results.earlyStop?.stopped).toMatchObject({ decision: 'FAIL', prefix: 6, successes: 0 });
    expect({ exitCode, verdict: outputs.verdict }).toEqual({ exitCode: 1, verdict: 'FAIL' });
    expect(await verifyBundle(bundle)).toEqual([]);
  });

  it('stops when the floor is reached whatever comes', async () => {
    const { exitCode, outputs, results } = await measure(
      '--early-stop',
      'true',
      '--min-success-rate',
      '30%',
      '--baseline',
      'none',
    );
    const stopped = results.earlyStop?.stopped;
    expect(stopped).toMatchObject({ decision: 'PASS', successes: 15 });
    expect({ exitCode, verdict: outputs.verdict }).toEqual({ exitCode: 0, verdict: 'PASS' });
  });
});

describe('what cannot stop early is refused before anything is queued', () => {
  it.each([
    ['no floor and no baseline', ['--baseline', 'auto']],
    ['only a published count', ['--baseline', '97.2% of 500']],
    ['shards', ['--min-success-rate', '90%', '--shard', '1/2']],
  ])('%s', async (_, more) => {
    const error = await refusal('--early-stop', 'true', ...more);
    expect(error).toBeInstanceOf(RbError);
    expect(error).toMatchObject({ exitCode: 2, problems: [{ code: 'RB605' }] });
    expect(await leftOversIn(host.workspace)).toEqual([]);
  });

  it('a floor that the plan cannot reach names the number of episodes that would', async () => {
    const error = await refusal('--min-success-rate', '99%', '--threshold-mode', 'lower-bound');
    expect(error).toMatchObject({ exitCode: 2, problems: [{ code: 'RB602' }] });
    expect(error).toMatchObject({ problems: [{ fix: expect.stringContaining('299') }] });
  });
});
