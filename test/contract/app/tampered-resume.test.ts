import * as fs from 'node:fs/promises';
import * as path from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { run } from '../../../src/app/run.ts';
import { readPlanOrNull } from '../../../src/bundle/documents.ts';
import { attemptFolder } from '../../../src/bundle/layout.ts';
import { type Host, LIBERO_TARGET_ID, startHost } from '../../../src/host/host.ts';
import { chooseAttempt } from '../../../src/job/runs/attempts.ts';
import { readJournal } from '../../../src/journal/journal.ts';
import { planDigest } from '../../../src/plan/make-plan.ts';
import { called } from './verb-context.ts';

let host: Host | null = null;
afterEach(async () => {
  await host?.stop();
  host = null;
});

interface Interrupted {
  readonly workspace: string;
  readonly runId: string;
  /** Absolute. */
  readonly attemptDir: string;
  /** An archived session that failed. */
  readonly sessionId: string;
  readonly line: readonly string[];
}

/** A run of a policy that solves nothing, interrupted when its fourth session begins. */
async function interruptedRun(): Promise<Interrupted> {
  const stop = new AbortController();
  const seen = new Set<string>();
  host = await startHost({
    policies: [{ mode: { kind: 'bad', skill: 0 } }],
    watchdog: { pollMs: 10 },
    onTransition: (sessionId) => {
      if (seen.add(sessionId).size === 4) stop.abort();
    },
  });
  const { workspace, policyEndpoint } = host;
  const line = [
    ...['run', '--workspace', workspace, '--target', LIBERO_TARGET_ID, '--suite', 'libero_spatial'],
    ...['--policy-endpoint', policyEndpoint, '--tasks', '0', '--init-states', '0-5'],
    ...['--min-success-rate', '10%'],
  ];
  const call = await called(line);
  expect(await run({ ...call.verb, signal: stop.signal })).not.toBe(0);
  const names = await fs.readdir(path.join(workspace, 'artifacts', 'rollout-bench'));
  const runId = names.find((name) => !name.startsWith('.')) ?? '';
  const attemptDir = path.join(workspace, attemptFolder(runId, 1));
  const { records } = await readJournal(attemptDir);
  const collected = records.flatMap(({ event }) => (event.type === 'collected' ? [event.sessionId] : []));
  const [sessionId = ''] = collected;
  expect(sessionId).not.toBe('');
  return { workspace, runId, attemptDir, sessionId, line };
}

const resumed = async ({ line, runId }: Interrupted): Promise<unknown> =>
  run((await called([...line, '--resume', runId])).verb).catch((error: unknown) => error);

async function edit(file: string, change: (text: string) => string): Promise<void> {
  const before = await fs.readFile(file, 'utf8');
  const after = change(before);
  expect(after).not.toBe(before);
  await fs.writeFile(file, after);
}

it('is refused when a failure was made a success in what would be continued', async () => {
  const left = await interruptedRun();
  const folder = path.join(left.attemptDir, 'raw', left.sessionId);
  const toSuccess = (text: string) => text.replaceAll(/("?success"?: )false/g, '$1true');
  await edit(path.join(folder, 'episode.json'), toSuccess);
  expect(await resumed(left)).toMatchObject({
    exitCode: 5,
    problems: [
      { code: 'RB446', message: expect.stringContaining(`attempt-1/raw/${left.sessionId}/episode.json`) },
    ],
  });
  // A re-run that was not told to continue it measures everything anew, and says why.
  const plan = readPlanOrNull(left.attemptDir);
  if (plan === null) throw new Error('no plan');
  const started = (await readJournal(left.attemptDir)).records[0]?.event;
  const fresh = await chooseAttempt({
    ...{ workspace: left.workspace, runId: left.runId, plan, planDigest: planDigest(plan) },
    identity: started?.type === 'started' ? started.identity : {},
    ...{ named: false, staysSealed: async () => 'sealed' },
  });
  expect(fresh).toMatchObject({ attempt: 2, resume: [] });
  expect(fresh.fresh).toContain('it is not what was archived');
});

it('is refused when a file was put beside the archived ones', async () => {
  const left = await interruptedRun();
  await fs.writeFile(path.join(left.attemptDir, 'raw', left.sessionId, 'policy.json'), '{}');
  expect(await resumed(left)).toMatchObject({
    problems: [{ code: 'RB446', message: expect.stringContaining('it was never archived') }],
  });
});

it('goes on with what is as it was recorded', async () => {
  const left = await interruptedRun();
  // Every episode failed, below the floor.
  expect(await resumed(left)).toBe(1);
});
