import { readFile } from 'node:fs/promises';
import * as path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { doctor } from '../../../src/app/doctor.ts';
import { plan } from '../../../src/app/plan.ts';
import { verifyBundle } from '../../../src/bundle/verify.ts';
import { type Host, startHost } from '../../../src/host/host.ts';
import { called } from '../app/verb-context.ts';
import { buildPolicy, processesWith } from './commands.ts';
import { bundleOf, startedRun } from './started-run.ts';

let policy: Awaited<ReturnType<typeof buildPolicy>>;
let host: Host | null = null;

beforeAll(async () => {
  policy = await buildPolicy();
});
afterAll(() => policy.remove());
afterEach(async () => {
  const workspace = host?.workspace ?? '';
  await host?.stop();
  host = null;
  // The workspace is in the environment of each command.
  expect(await processesWith(`WHERE=${workspace}`)).toEqual([]);
});

/** Runs with these commands on a host of its own. */
async function runWith(more: readonly string[], commands: { candidate: string; baseline?: string }) {
  host ??= await startHost({ watchdog: { pollMs: 10 } });
  return startedRun(host.workspace, commands, more);
}

const CELLS = ['--tasks', '0-1', '--init-states', '0-2'];

describe('a run that starts its policy', () => {
  it('measures it, records command and digest as observed, and ends it', async () => {
    const { exitCode, outputs, bundle } = await runWith(CELLS, { candidate: policy.command() });
    expect({ exitCode, planned: outputs['planned'] }).toEqual({ exitCode: 0, planned: '6' });
    const { results, text } = await bundleOf(bundle);
    expect(results.run.started).toEqual({ by: 'command', arms: ['candidate'], turns: false });
    expect(results.run.pins).toContainEqual(
      expect.objectContaining({ name: 'candidate command', source: 'observed' }),
    );
    expect(text.includes('started by this run')).toBe(true);
    expect(text.includes('such code could have written evidence')).toBe(true);
    expect(await verifyBundle(bundle)).toEqual([]);
    const log = await readFile(path.join(path.dirname(bundle), 'policy-candidate.log'), 'utf8');
    expect(log).toContain('serving at openpi://127.0.0.1:');
  });

  it('goes on when it dies once, and that attempt does not count', async () => {
    host = await startHost({ watchdog: { pollMs: 10 } });
    const file = path.join(host.workspace, 'questions');
    const command = policy.command({ dieAt: { file, questions: [14] } });
    const { exitCode, outputs, bundle, log } = await runWith([...CELLS, '--retry-errors', '0'], {
      candidate: command,
    });
    expect({ exitCode, valid: outputs['valid'] }).toEqual({ exitCode: 0, valid: '6' });
    const { results, journal } = await bundleOf(bundle);
    const weighed = journal.filter((event) => event.type === 'weighed');
    expect(weighed.length).toBeGreaterThan(0);
    expect(weighed.filter(({ counts }) => counts)).toEqual([]);
    expect(results.run.warnings.join('\n')).toContain('The candidate policy died and was started again');
    expect(log.join('\n')).toContain('CUDA error in question');
  });

  it('ends incomplete with the last lines when it dies at every episode', async () => {
    host = await startHost({ watchdog: { pollMs: 10 } });
    const file = path.join(host.workspace, 'questions');
    const { exitCode, log } = await runWith(CELLS, {
      candidate: policy.command({ dieAt: { file, questions: 'every' } }),
    });
    expect(exitCode).toBe(4);
    expect(log.join('\n')).toMatch(
      /ended incomplete: .*candidate policy is not started any more.*CUDA error/,
    );
  });

  it('queues nothing when it never answers', async () => {
    const { exitCode } = await runWith(CELLS, { candidate: 'echo no such module; exit 1' });
    expect(exitCode).toMatchObject({ exitCode: 3, problems: [{ code: 'RB940' }] });
    expect(String(exitCode)).toContain('no such module');
  });
});

describe('two policies that a run starts', () => {
  const good = (): string => policy.command({ metadata: { model: 'base' } });
  const dead = (): string => policy.command({ metadata: { model: 'head' }, skill: 0 });
  const MANY = ['--tasks', '0-3', '--init-states', '0-3'];

  it('are measured together when both fit, and a broken head fails', async () => {
    const { exitCode, bundle, outputs } = await runWith(MANY, { candidate: dead(), baseline: good() });
    expect({ exitCode, verdict: outputs['verdict'] }).toEqual({ exitCode: 1, verdict: 'FAIL' });
    const { plan, results } = await bundleOf(bundle);
    expect(plan.order.scheme).toBe('abba');
    expect(results.run.started).toEqual({ by: 'command', arms: ['candidate', 'baseline'], turns: false });
    expect(results.run.arms).toMatchObject([
      { metadataAfter: { model: 'head' } },
      { metadataAfter: { model: 'base' } },
    ]);
  });

  it('are measured one after the other when asked for, which is said', async () => {
    const { exitCode, bundle, outputs, log } = await runWith([...MANY, '--arms', 'sequential'], {
      candidate: dead(),
      baseline: good(),
    });
    expect({ exitCode, verdict: outputs['verdict'] }).toEqual({ exitCode: 1, verdict: 'FAIL' });
    const { plan, results, journal, text } = await bundleOf(bundle);
    expect(plan.order.scheme).toBe('sequential');
    const arms = journal.flatMap((event) => (event.type === 'intent' ? [event.cell.arm] : []));
    expect(arms.lastIndexOf('candidate')).toBeLessThan(arms.indexOf('baseline'));
    // Both said who they were when they were ended.
    expect(results.run.arms).toMatchObject([
      { metadataAfter: { model: 'head' }, changed: null },
      { metadataAfter: { model: 'base' }, changed: null },
    ]);
    expect(log.join('\n')).toContain('The baseline is measured after the candidate (as asked for)');
    expect(text.includes('one after the other')).toBe(true);
    expect(await verifyBundle(bundle)).toEqual([]);
  });
});

describe('before a run that starts its policy', () => {
  it('doctor misses no endpoint, and plan pins what will be started', async () => {
    host = await startHost({ watchdog: { pollMs: 10 } });
    const { workspace } = host;
    const asked = [
      '--workspace',
      workspace,
      '--suite',
      'libero_spatial',
      '--policy-command',
      'serve --port {port}',
    ];
    const looked = await called(['doctor', ...asked]);
    await doctor(looked.verb);
    expect(looked.printed().includes('RB308') || looked.printed().includes('RB350')).toBe(false);
    expect(looked.printed()).toContain('a run starts it by policy-command');
    const planned = await called(['plan', ...asked, '--json']);
    await plan(planned.verb);
    expect(planned.printed()).toContain('"candidate command"');
    expect(planned.printed()).toContain('serve --port {port}');
  });
});
