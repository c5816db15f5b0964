import { mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { probeServers } from '../../../src/app/doctor/probes.ts';
import { doctor } from '../../../src/app/doctor.ts';
import { plan } from '../../../src/app/plan.ts';
import { type Host, LIBERO_SKILL_ID, LIBERO_TARGET_ID, startHost } from '../../../src/host/host.ts';
import { targetAnswers } from '../../../src/job/prepare/target-answers.ts';
import { dumpYaml } from '../../../src/workspace/dump-yaml.ts';
import { renderDocument } from '../../../src/workspace/fenced-block.ts';
import { called } from './verb-context.ts';

const SUITE = '--suite=libero_spatial';

let workspace: string;
let host: Host;
beforeEach(async () => {
  workspace = mkdtempSync(join(tmpdir(), 'rb-doctor-live-'));
  host = await startHost({ workspace, policies: [{ mode: { kind: 'good' } }], watchdog: { pollMs: 20 } });
});
afterEach(async () => {
  await host.stop();
  rmSync(workspace, { recursive: true, force: true });
});

const server = z.object({
  asked: z.boolean(),
  why: z.string().optional(),
  endpoint: z.string().nullable(),
  answer: z.record(z.string(), z.unknown()).nullish(),
  busy: z.boolean().optional(),
});
const found = z.object({
  facts: z.object({
    target: z.string().nullable(),
    skillruntime: z.string().nullable(),
    possiblePairs: z.array(z.object({ target: z.string(), skillruntime: z.string() })),
    suites: z.object({ names: z.array(z.string()), given: z.boolean() }).nullable(),
    targetServer: server,
    policyServer: server,
    watchdog: z.object({ state: z.string(), lastMoveMs: z.number().nullable() }),
    queue: z.object({ pending: z.number() }),
    disk: z.object({ freeBytes: z.number() }),
  }),
  problems: z.array(z.object({ code: z.string(), severity: z.string(), fix: z.string() })),
});

async function runDoctor(options: readonly string[]) {
  const call = await called(['doctor', '--workspace', workspace, ...options]);
  const exitCode = await doctor({ ...call.verb, env: { PATH: process.env['PATH'] } });
  return { exitCode, printed: call.printed() };
}

async function examine(...options: readonly string[]) {
  const { exitCode, printed } = await runDoctor(['--json', ...options]);
  const { facts, problems } = found.parse(JSON.parse(printed));
  return { exitCode, facts, problems: problems.map(({ code, severity }) => `${code} ${severity}`) };
}

describe('a server that accepts connections and keeps silent', () => {
  it('is busy while a session is at work on it, which stops nothing', async () => {
    host.target.setBuildMs(30_000);
    queueOne(join(workspace, 'SESSIONS.md'));
    await expect.poll(() => readFileSync(join(workspace, 'SESSIONS.md'), 'utf8')).toContain('running');
    const { exitCode, facts, problems } = await examine(SUITE, '--policy-endpoint', host.policyEndpoint);
    expect(problems).toEqual(['RB327 warning']);
    expect(exitCode).toBe(0);
    expect(facts.targetServer).toMatchObject({ asked: true, answer: null, busy: true });
    await host.crashWatchdog();
  }, 30_000);

  it('is waited for while it builds its simulator, and that is said', async () => {
    host.target.setBuildMs(7000);
    const call = await called(['doctor', '--workspace', workspace, SUITE, '--json']);
    expect(await doctor({ ...call.verb, env: { PATH: process.env['PATH'] } })).toBe(0);
    expect(found.parse(JSON.parse(call.printed())).facts.targetServer.answer).toMatchObject({ tasks: 10 });
    expect(call.log.lines.join('\n')).toMatch(
      /Waiting for the target at targetws:.* for \d+ s: .*perhaps it builds its simulator/,
    );
  }, 30_000);

  it('is dead when it says nothing in the time that a simulator needs', async () => {
    const silent = createServer((socket) => socket.resume());
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    // A listening TCP server has an AddressInfo; only pipes have text addresses.
    const { port } = silent.address() as AddressInfo;
    const { verb } = await called(['doctor', '--workspace', workspace]);
    const endpoints = {
      target: `targetws://127.0.0.1:${port}`,
      policy: `openpi://127.0.0.1:${port}`,
      targetOverride: null,
      problems: [],
    };
    const { problems } = await probeServers({ ...verb, workspace, endpoints, coldMs: 300 });
    expect(problems.map(({ code, severity }) => `${code} ${severity}`)).toEqual([
      'RB321 fatal',
      'RB351 fatal',
    ]);
    await new Promise((resolve) => silent.close(resolve));
  });

  it('is no problem at all when it cannot describe itself', async () => {
    const unsupported = { pythonName: 'ProtocolError', message: 'Unsupported message type' };
    host.target.faults.errors.set('target.describe', unsupported);
    const answering = [SUITE, '--policy-endpoint', host.policyEndpoint];
    // Nobody knows the languages of its tasks, and a run would say so, too.
    expect((await examine(...answering)).problems).toContain('RB341 fatal');
    const file = join(workspace, 'tasks.yml');
    writeFileSync(file, 'libero_spatial: {0: "pick up the bowl"}\n');
    const { exitCode, facts } = await examine(...answering, `--tasks-file=${file}`);
    expect(exitCode).toBe(0);
    expect(facts.targetServer).toMatchObject({ asked: true, answer: { runtime: null, tasks: 0 } });
    expect(await targetAnswers(host.targetEndpoint, new AbortController().signal)).toBeNull();
    host.target.faults.errors.set('target.describe', { pythonName: 'GLError', message: 'no display' });
    expect(await targetAnswers(host.targetEndpoint, new AbortController().signal)).toContain('GLError');
  });
});

describe('what a run would refuse', () => {
  const policy = (): string[] => ['--policy-endpoint', host.policyEndpoint];

  it('is foreseen for a mistyped suite, with the names of those that there are', async () => {
    const { exitCode, problems } = await examine('--suite=libero_spatail', ...policy());
    expect(problems).toContain('RB340 fatal');
    expect(exitCode).toBe(3);
    const { printed } = await runDoctor(['--suite=libero_spatail', ...policy()]);
    expect(printed).toContain('the LIBERO suites are libero_spatial, libero_object');
    // Another suite of the server is a session away, as for a run.
    expect(await examine('--suite=libero_object', ...policy())).toMatchObject({ exitCode: 0, problems: [] });
  });

  it('is foreseen for tasks, limits, floors, a plan file, and the policy', async () => {
    const { problems } = await examine(
      SUITE,
      ...policy(),
      '--tasks=0,12',
      '--expect-policy=name=another',
      '--plan-file=/nowhere/plan.json',
    );
    expect(problems).toEqual(expect.arrayContaining(['RB342 fatal', 'RB352 fatal', 'RB219 fatal']));
    const floor = ['--min-success-rate=99%', '--threshold-mode=lower-bound', '--init-states=0-1'];
    expect((await examine(SUITE, ...policy(), ...floor)).problems).toContain('RB602 fatal');
    const release = await examine(SUITE, ...policy(), '--purpose=release', '--min-success-rate=50%');
    expect(release.problems).toContain('RB371 fatal');
    expect((await examine(SUITE, ...policy(), '--init-states=0-99')).problems).toEqual(['RB361 warning']);
  });

  it('is not said of a suite that only must be given', async () => {
    const targets = join(workspace, 'TARGETS.md');
    const text = readFileSync(targets, 'utf8').replace(/^ *benchmark_name:.*\n/m, '');
    writeFileSync(targets, text);
    const chosen = [`--target=${LIBERO_TARGET_ID}`, ...policy()];
    expect((await examine(...chosen)).problems).toContain('RB313 warning');
    expect((await runDoctor(chosen)).printed).toMatch(/^GIVE {3}RB313/m);
  });
});

describe('a plan of several suites', () => {
  async function planned(...options: string[]) {
    const call = await called(['plan', '--workspace', workspace, ...options]);
    const exitCode = await plan(call.verb);
    return { exitCode, printed: call.printed() };
  }

  it('takes the second one as a run does, without its languages and its digest', async () => {
    const before = readFileSync(join(workspace, 'SESSIONS.md'));
    const { exitCode, printed } = await planned('--suite', 'libero_spatial,libero_object', '--tasks=0-1');
    expect(exitCode).toBe(0);
    expect(printed).toMatch(/Plan of libero_spatial[\s\S]*digest +[0-9a-f]{64}/);
    expect(printed).toMatch(
      /Plan of libero_object[\s\S]*digest +not known before the server lists the tasks/,
    );
    expect(printed).toContain('20 = 2 tasks x 10 initial states');
    expect(readFileSync(join(workspace, 'SESSIONS.md'))).toEqual(before);
  });

  it('has no digest for a file, and none at all for a suite that nobody knows', async () => {
    const second = ['--suite=libero_object', `--out=${join(workspace, 'plan.json')}`];
    await expect(planned(...second)).rejects.toThrow(/RB340.*only a session of libero_object/);
    await expect(planned('--suite=libero_objet')).rejects.toThrow(/RB340.*LIBERO suites are libero_spatial/);
    await expect(planned('--suite=libero_object', '--tasks=10')).rejects.toThrow(/RB340/);
  });
});

describe('doctor on a live host', () => {
  it('finds nothing when target and policy answer, and changes no document', async () => {
    const before = readFileSync(join(workspace, 'SESSIONS.md'));
    const { exitCode, problems } = await examine(SUITE, '--policy-endpoint', host.policyEndpoint);
    expect(problems).toEqual([]);
    expect(exitCode).toBe(0);
    expect(readFileSync(join(workspace, 'SESSIONS.md'))).toEqual(before);
  });

  it('stops at a policy that is not there at a target that is gone', async () => {
    expect(await examine(SUITE, '--policy-endpoint', 'openpi://127.0.0.1:9')).toMatchObject({
      exitCode: 3,
      problems: ['RB350 fatal'],
    });
    await host.killTarget();
    expect(await examine(SUITE, '--policy-endpoint', host.policyEndpoint)).toMatchObject({
      exitCode: 3,
      problems: ['RB320 fatal'],
    });
  });

  it('says when something else listens where the policy should be', async () => {
    const address = host.targetEndpoint.replace(/^\w+:/, 'openpi:');
    const { exitCode, problems } = await examine(SUITE, '--policy-endpoint', address);
    expect(exitCode).toBe(3);
    expect(problems).toEqual(['RB351 fatal']);
  });

  it('names what a run would take and what the servers say of themselves', async () => {
    const { facts } = await examine(SUITE, '--policy-endpoint', host.policyEndpoint);
    expect(facts).toMatchObject({
      target: LIBERO_TARGET_ID,
      skillruntime: LIBERO_SKILL_ID,
      suites: { names: ['libero_spatial'], given: true },
      targetServer: {
        asked: true,
        endpoint: host.targetEndpoint,
        answer: { suite: 'libero_spatial', tasks: 10 },
      },
      policyServer: { asked: true, endpoint: host.policyEndpoint, answer: { kind: 'metadata' } },
      watchdog: { state: 'unseen', lastMoveMs: null },
      queue: { pending: 0 },
    });
    const { printed } = await runDoctor([SUITE, '--policy-endpoint', host.policyEndpoint]);
    expect(printed).toContain(`target        ${LIBERO_TARGET_ID}, with skill runtime ${LIBERO_SKILL_ID}`);
    expect(printed).toMatch(/target server .* describes libero_spatial with 10 tasks/);
    expect(printed).toMatch(/policy server .* answers as name=simulated-policy.* \(sha256:[0-9a-f]{12}…\)/);
    expect(printed).toContain('Nothing was found');
    expect(printed.split('\n').length).toBeLessThan(16);
  });

  it('says which pairs fit and that no server was asked when several do', async () => {
    const { facts } = await examine();
    expect(facts.target).toBeNull();
    expect(facts.possiblePairs).toContainEqual({ target: LIBERO_TARGET_ID, skillruntime: LIBERO_SKILL_ID });
    expect(facts.possiblePairs).toHaveLength(2);
    expect([facts.targetServer.asked, facts.policyServer.asked]).toEqual([false, false]);
    const { printed } = await runDoctor([]);
    expect(printed).toMatch(/target +2 pairs fit, choose with --target and --skillruntime/);
    expect(printed).toContain('target server not asked: ');
  });

  it('says that the policy was not asked when nobody names it, and that a dummy is one', async () => {
    const { facts } = await examine(SUITE);
    expect(facts.targetServer.asked).toBe(true);
    expect(facts.policyServer).toMatchObject({ asked: false, endpoint: null });
    const dummy = await examine(SUITE, '--policy-endpoint', 'dummy://local');
    expect(dummy.facts.policyServer).toMatchObject({ asked: true, answer: { kind: 'dummy', digest: null } });
  });

  it('does not take a server that fails for one that answered', async () => {
    await host.killTarget();
    const { facts } = await examine(SUITE, '--policy-endpoint', 'openpi://127.0.0.1:9');
    expect([facts.targetServer.answer, facts.policyServer.answer]).toEqual([null, null]);
  });

  it('tells a watchdog that is at work from one that leaves a session waiting', async () => {
    host.pauseWatchdog();
    const sessions = join(workspace, 'SESSIONS.md');
    queueOne(sessions);
    expect((await examine(SUITE)).facts.watchdog.state).toBe('unseen');
    const minuteAgo = Date.now() / 1000 - 60;
    utimesSync(sessions, minuteAgo, minuteAgo);
    const { facts } = await examine(SUITE);
    expect(facts.watchdog).toEqual({ state: 'silent', lastMoveMs: null });
    expect((await runDoctor([SUITE])).printed).toMatch(/watchdog +seems not to run/);
    host.resumeWatchdog();
    await expect
      .poll(async () => (await examine(SUITE)).facts.watchdog.lastMoveMs, { timeout: 20_000 })
      .not.toBeNull();
    await expect.poll(async () => (await examine(SUITE)).facts.watchdog.state).toBe('recent');
    expect((await runDoctor([SUITE])).printed).toMatch(/watchdog +there; a session last moved [\d.]+ s ago/);
  });
});

function queueOne(file: string): void {
  const session = {
    session_id: 'somebody',
    target_ref: LIBERO_TARGET_ID,
    skillruntime_ref: LIBERO_SKILL_ID,
    task_description: 'd',
    status: 'pending',
    routing: { policy_endpoint: host.policyEndpoint },
  };
  const document = { version: 'runtime_sessions_v1', sessions: [session] };
  writeFileSync(file, renderDocument('Runtime Sessions', dumpYaml(document)));
}
