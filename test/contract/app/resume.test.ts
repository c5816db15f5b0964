import * as fs from 'node:fs/promises';
import * as path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { run } from '../../../src/app/run.ts';
import { stableJson } from '../../../src/base/stable-json.ts';
import { attemptFolder } from '../../../src/bundle/layout.ts';
import { type Host, LIBERO_TARGET_ID, startHost } from '../../../src/host/host.ts';
import { chooseAttempt } from '../../../src/job/runs/attempts.ts';
import { createJournal } from '../../../src/journal/journal.ts';
import { planDigest } from '../../../src/plan/make-plan.ts';
import { leftOversIn, smallPlan } from '../queue/bench-run.ts';
import { called } from './verb-context.ts';

let host: Host | null = null;
afterEach(async () => {
  await host?.stop();
  host = null;
});

interface Live {
  readonly workspace: string;
  readonly policyEndpoint: string;
}

function commandLine({ workspace, policyEndpoint }: Live, ...more: readonly string[]): string[] {
  return [
    'run',
    ...['--workspace', workspace, '--target', LIBERO_TARGET_ID, '--suite', 'libero_spatial'],
    ...['--policy-endpoint', policyEndpoint, '--tasks', '0'],
    ...more,
  ];
}

/** A run that is interrupted when its first session has been queued; gives its id. */
async function interruptedRun(): Promise<{
  readonly live: Live;
  readonly runId: string;
  readonly said: string;
  readonly printed: string;
}> {
  const stop = new AbortController();
  host = await startHost({ rule: { kind: 'stub' }, onTransition: () => stop.abort() });
  const call = await called(commandLine(host, '--init-states', '0-2'));
  expect(await run({ ...call.verb, signal: stop.signal })).not.toBe(0);
  const runs = path.join(host.workspace, 'artifacts', 'rollout-bench');
  const [runId = ''] = (await fs.readdir(runs)).filter((name) => !name.startsWith('.'));
  return { live: host, runId, said: call.log.lines.join('\n'), printed: call.printed() };
}

describe('a resume with other inputs', () => {
  it('is refused with each field of the plan that differs, not with digests', async () => {
    const { live, runId } = await interruptedRun();
    const other = ['--init-states', '0-3', '--session-timeout', '60', '--resume', runId];
    const { verb } = await called(commandLine(live, ...other));
    const refused = await run(verb).catch((error: unknown) => error);
    expect(refused).toMatchObject({ exitCode: 3, problems: [{ code: 'RB420', value: runId }] });
    const message = String(refused);
    expect(message).toContain('init-states was 0-2, now 0-3');
    expect(message).toContain('session-timeout was 1800s, now 60s');
    expect(message).not.toMatch(/\b[0-9a-f]{12}\b/);
  });

  it('says that the recording was off, not that nobody knows', async () => {
    const { live, runId } = await interruptedRun();
    const recorded = ['--init-states', '0-2', '--record-policy', 'true', '--resume', runId];
    const { verb } = await called(commandLine(live, ...recorded));
    await expect(run(verb)).rejects.toMatchObject({
      exitCode: 3,
      problems: [{ code: 'RB420', message: expect.stringContaining('record-policy was false, now true') }],
    });
  });

  it('goes on when nothing differs, and once only', async () => {
    const { live, runId, printed: before } = await interruptedRun();
    const call = await called(commandLine(live, '--init-states', '0-2', '--resume', runId));
    expect(await run(call.verb)).toBe(0);
    // What is not sealed is called no bundle, since `verify` refuses it.
    const place = (attempt: number) => path.join(live.workspace, attemptFolder(runId, attempt));
    expect(before).toMatch(
      new RegExp(`Unfinished attempt: ${place(1)}\n\\(to go on: .*--resume ${runId}\\)`),
    );
    expect(before).not.toContain('Bundle:');
    expect(call.printed()).toContain(`Bundle: ${place(2)}\n`);
    const again = await called(commandLine(live, '--init-states', '0-2', '--resume', runId));
    await expect(run(again.verb)).rejects.toMatchObject({
      exitCode: 3,
      problems: [{ code: 'RB420', fix: expect.stringContaining('Report on the sealed attempt') }],
    });
  });
});

describe('a resume while the target is down', () => {
  it('waits for it as the run would have, and goes on', async () => {
    const { live, runId } = await interruptedRun();
    await host?.killTarget();
    const call = await called(commandLine(live, '--init-states', '0-2', '--resume', runId));
    const info = call.log.info.bind(call.log);
    call.log.info = (text) => {
      info(text);
      if (text.startsWith('Waiting for the target:')) void host?.reviveTarget();
    };
    expect(await run(call.verb)).toBe(0);
    expect(call.log.lines.join('\n')).toContain('Waiting for the target:');
    expect(await leftOversIn(live.workspace)).toEqual([]);
  });

  it('tells a run that begins at once', async () => {
    host = await startHost({ rule: { kind: 'stub' } });
    await host.killTarget();
    const { verb } = await called(commandLine(host, '--init-states', '0-2'));
    await expect(run(verb)).rejects.toMatchObject({ exitCode: 3, problems: [{ code: 'RB320' }] });
  });
});

describe('an attempt that was killed', () => {
  it('has its plan from before the first session on', async () => {
    let early: string[] | null = null;
    host = await startHost({
      rule: { kind: 'stub' },
      onTransition: (sessionId) => {
        if (!sessionId.startsWith('rb-') || early !== null) return;
        early = [];
        void fs.readdir(path.join(live.workspace, 'artifacts', 'rollout-bench')).then(async (names) => {
          const runId = names.find((name) => !name.startsWith('.')) ?? '';
          early = await fs.readdir(path.join(live.workspace, attemptFolder(runId, 1)));
        });
      },
    });
    const live: Live = host;
    const { verb } = await called(commandLine(host, '--init-states', '0-2'));
    expect(await run(verb)).toBe(0);
    expect(early).toContain('plan.json');
    expect(early).not.toContain('run.json');
  });

  it('is compared by digests when its plan is gone or is not the one that was begun', async () => {
    host = await startHost({ startWatchdog: false });
    const { workspace } = host;
    const [before, now] = [smallPlan({ initStates: [0] }), smallPlan({ initStates: [0, 1] })];
    const bundleDir = path.join(workspace, attemptFolder('x', 1));
    const journal = await createJournal(bundleDir, () => 0);
    await journal.append({
      type: 'started',
      schema: 'rollout-bench/journal/1',
      runId: 'x',
      attempt: 1,
      planDigest: planDigest(before),
      suite: before.suite,
      resumes: [],
      identity: { headCommit: 'a1' },
    });
    await journal.close();
    const request = {
      ...{ workspace, runId: 'x', plan: now, planDigest: planDigest(now) },
      ...{ identity: { headCommit: 'b2' }, named: true, staysSealed: async () => 'sealed' },
    };
    const digests = new RegExp(
      `the plan was ${planDigest(before).slice(0, 12)}, now ${planDigest(now).slice(0, 12)}; head commit was a1, now b2`,
    );
    await expect(chooseAttempt(request)).rejects.toThrow(digests);
    const place = path.join(bundleDir, 'plan.json');
    for (const content of ['no JSON', stableJson(now)]) {
      await fs.writeFile(place, content);
      await expect(chooseAttempt(request)).rejects.toThrow(digests);
    }
    await fs.writeFile(place, stableJson(before));
    await expect(chooseAttempt(request)).rejects.toThrow('init-states was 0, now 0-1; head commit was a1');
    // Not asked for by name: the differences are said, and the next attempt starts anew.
    const fresh = await chooseAttempt({ ...request, named: false });
    expect(fresh).toMatchObject({ attempt: 2, resume: [] });
    expect(fresh.fresh).toContain('init-states was 0, now 0-1');
  });
});

describe('a run of a cell that the simulator does not have', () => {
  it('says what to change, since a resume would end at the same cell', async () => {
    host = await startHost({ rule: { kind: 'stub' } });
    const { verb, log } = await called(commandLine(host, '--init-states', '0,4000'));
    expect(await run(verb)).toBe(4);
    const said = log.lines.join('\n');
    expect(said).toMatch(/ended incomplete: the target has no task 0 with initial state 4000: IndexError/);
    expect(said).toContain('Leave it out with `tasks` or `init-states`');
    expect(said).not.toContain('--resume');
  });

  it('still advises a resume where that helps', async () => {
    const { runId, said } = await interruptedRun();
    expect(said).toContain(`--resume ${runId}\``);
  });
});
