import { appendFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { run } from '../../../src/app/run.ts';
import { type Host, LIBERO_TARGET_ID, startHost } from '../../../src/host/host.ts';
import { raiseFence } from '../../../src/lane/fence.ts';
import { hostFolder } from '../../../src/lane/host-folder.ts';
import { commandsIn, followed, followedIn } from './advice.ts';
import { hostsForTests, runHeldOut } from './held-out-run.ts';
import { called } from './verb-context.ts';

let folder: string;
let host: Host | null = null;
beforeEach(() => {
  // A name that a shell would take apart.
  folder = mkdtempSync(join(tmpdir(), "rb advice's "));
});
afterEach(async () => {
  await host?.stop();
  host = null;
  rmSync(folder, { recursive: true, force: true });
});
const heldOutHost = hostsForTests();

const commandLine = ({ workspace, policyEndpoint }: Host, ...more: readonly string[]): string[] => [
  ...['run', '--workspace', workspace, '--target', LIBERO_TARGET_ID, '--suite', 'libero_spatial'],
  ...['--policy-endpoint', policyEndpoint, '--tasks', '0', '--init-states', '0-2'],
  ...['--policy-ref', "the candidate's third"],
  ...more,
];

const status = async (workspace: string): Promise<string> => {
  const { exitCode, printed } = await followed(`rollout-bench status --workspace '${workspace}'`);
  expect(exitCode).toBe(0);
  return printed;
};
const refusalOf = (work: Promise<number>): Promise<string> =>
  work.then(
    (exitCode) => `exit ${exitCode}`,
    (error: unknown) => String(error),
  );

describe('a command in a message succeeds when it is copied', () => {
  it('of an interrupted run, from its last line and from status', async () => {
    const stop = new AbortController();
    host = await startHost({ rule: { kind: 'stub' }, onTransition: () => stop.abort() });
    const { verb, log } = await called(commandLine(host));
    expect(await run({ ...verb, signal: stop.signal })).not.toBe(0);
    const said = commandsIn(log.lines.join('\n'));
    const shown = commandsIn(await status(host.workspace));
    expect(new Set([...said, ...shown]).size).toBe(1);
    expect(await followed(shown[0] ?? '')).toMatchObject({ exitCode: 0 });
    expect(commandsIn(await status(host.workspace))).toEqual([]);
    // It is done: what a second try says works, too.
    const again = await refusalOf(followed(shown[0] ?? '').then(({ exitCode }) => exitCode));
    expect(again).toContain('RB420');
    expect(await followedIn(again)).toMatchObject({ exitCode: expect.any(Number) });
  });

  it('of a run that was interrupted in its held-out cells', async () => {
    const stop = new AbortController();
    const on = await heldOutHost({
      onTransition: (id) => {
        if (id.includes('-heldout-')) stop.abort();
      },
    });
    expect((await runHeldOut(on, [], {}, stop.signal)).exitCode).not.toBe(0);
    const shown = await status(on.workspace);
    expect(shown).toMatch(/^Last: .*-heldout, attempt 1/m);
    const [command = ''] = commandsIn(shown);
    expect(command).not.toMatch(/--resume \S+-heldout/);
    expect(await followed(command)).toMatchObject({ exitCode: 0 });
    expect(commandsIn(await status(on.workspace))).toEqual([]);
  });

  it('of a fenced host, from a refusal, from fence and from clean', async () => {
    host = await startHost({ rule: { kind: 'stub' }, watchdog: { pollMs: 10 } });
    const { workspace } = host;
    const fence = { at: '2026-11-29T12:00:00.000Z', runId: 'r1', sessionId: 'gone', status: 'running' };
    const raise = () => raiseFence(workspace, { ...fence, since: null, reason: 'The watchdog is silent' });
    await raise();
    const { verb } = await called(commandLine(host));
    const refused = await refusalOf(run(verb));
    expect(refused).toContain('RB375');
    const said = [refused];
    for (const name of ['fence', 'clean'])
      said.push((await followed(`rollout-bench ${name} --workspace '${workspace}'`)).printed);
    for (const text of said) {
      expect(existsSync(hostFolder(workspace).fence)).toBe(true);
      expect(await followedIn(text)).toMatchObject({ exitCode: 0 });
      expect(existsSync(hostFolder(workspace).fence)).toBe(false);
      await raise();
    }
  });

  it('of a plan that is another one by now', async () => {
    host = await startHost({ rule: { kind: 'stub' }, watchdog: { pollMs: 10 } });
    const planFile = join(folder, 'plan.json');
    const options = commandLine(host).slice(1);
    const { verb: planned } = await called(['plan', ...options.slice(0, -2), '--out', planFile]);
    const { plan } = await import('../../../src/app/plan.ts');
    expect(await plan(planned)).toBe(0);
    appendFileSync(join(host.workspace, 'RUNTIME.md'), 'one more line\n');
    const { verb } = await called([...commandLine(host, '--plan-file', planFile)]);
    const refused = await refusalOf(run(verb));
    expect(refused).toContain('RB434');
    expect(await followedIn(refused)).toMatchObject({ exitCode: 0 });
    const { verb: anew } = await called(commandLine(host, '--plan-file', `${planFile}.new`));
    expect(await run(anew)).toBe(0);
  });
});
