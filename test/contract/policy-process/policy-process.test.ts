import * as fs from 'node:fs/promises';
import { createServer } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { RbError } from '../../../src/errors/rb-error.ts';
import { probePolicy } from '../../../src/policy/probe.ts';
import { freePorts } from '../../../src/policy-process/free-port.ts';
import type { PolicyProcess, PolicySpec } from '../../../src/policy-process/policy-process.ts';
import { buildPolicy, processesWith, type Trial, trial } from './commands.ts';
import type { ChildWishes } from './policy-child.ts';

/** A gigabyte does the same, and takes a busy machine minutes. */
const FLOOD_BYTES = Number(process.env['RB_FLOOD_BYTES'] ?? 64 * 1024 ** 2);

let policy: Awaited<ReturnType<typeof buildPolicy>>;
let place: Trial;
let own: PolicyProcess | null = null;
const signal = new AbortController().signal;

beforeAll(async () => {
  policy = await buildPolicy();
});
afterAll(() => policy.remove());
afterEach(async () => {
  await own?.stop('calm');
  own = null;
  // Whatever the command did: nothing of it is there any more, and nothing is on record.
  expect(await processesWith(place.sign)).toEqual([]);
  expect(await fs.readdir(place.records).catch(() => [])).toEqual([]);
  await fs.rm(place.folder, { recursive: true, force: true });
});

async function start(command: string, spec: Partial<PolicySpec> = {}, env = {}): Promise<PolicyProcess> {
  place = await trial(env);
  const [port = 0] = await freePorts(1);
  own = place.make({ command, port, ...spec });
  await own.start();
  return own;
}

const serve = (wishes: ChildWishes = {}, spec: Partial<PolicySpec> = {}): Promise<PolicyProcess> =>
  start(policy.command(wishes), spec);

async function refusalOf(started: PolicyProcess): Promise<RbError> {
  const error = await started.untilReady(signal).then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof RbError)) throw new Error(`not refused: ${String(error)}`);
  return error;
}

describe('a policy that a command starts', () => {
  it('is ready when it sends its metadata, and is ended with its log kept', async () => {
    const started = await serve({ metadata: { model: 'pi' }, say: 'hello' });
    await started.untilReady(signal);
    expect((await probePolicy(started.endpoint, { timeoutMs: 5000 })).metadata).toMatchObject({
      model: 'pi',
    });
    await started.stop('calm');
    const kept = await fs.readFile(place.logFile, 'utf8');
    expect(kept).toContain('hello\n');
    expect(kept).toContain('serving at openpi://127.0.0.1:');
    expect((await fs.stat(place.logFile)).mode & 0o777).toBe(0o600);
  });

  it('gets its port as {port}, too', async () => {
    const started = await start(`PORT={port} ; export PORT; ${policy.command()}`);
    await started.untilReady(signal);
    expect(started.life.phase.kind).toBe('ready');
  });

  it('that prints and ends with 1 is refused with its last lines', async () => {
    const error = await refusalOf(await start('echo "ModuleNotFoundError: openpi" >&2; exit 1'));
    expect(error.problems).toMatchObject([{ code: 'RB940', where: 'input policy-command' }]);
    expect(error.message).toContain('it ended with exit code 1');
    expect(error.message).toContain('\n  ModuleNotFoundError: openpi\n');
  });

  it('that binds late is waited for, with its last line as progress', async () => {
    const started = await serve({ bindAfterMs: 2500 });
    let last: string | null = null;
    const watching = setInterval(() => {
      last ??= started.lastLine;
    }, 20);
    await started.untilReady(signal);
    clearInterval(watching);
    expect(last).toBe('loading the checkpoint');
  });

  it('that binds another port is refused with the port it has', async () => {
    const error = await refusalOf(await serve({ otherPort: true }, { waitMs: 4000 }));
    expect(error.problems).toMatchObject([{ code: 'RB941' }]);
    expect(error.message).toMatch(/It listens on \d+, and PORT is \d+\./);
    expect(error.message).toContain('\n  serving at openpi://127.0.0.1:');
  });

  it('that answers with text is refused with what it is', async () => {
    const error = await refusalOf(await serve({ answerText: true }, { waitMs: 3000 }));
    expect(error.problems).toMatchObject([{ code: 'RB941' }]);
    expect(error.message).toContain('the policy did not send its metadata');
  });

  it('that accepts connections and never speaks is waited for no longer than it was told', async () => {
    const mute = `exec ${process.execPath} -e "require('net').createServer(() => {}).listen(process.env.PORT, '127.0.0.1')"`;
    const begun = performance.now();
    const error = await refusalOf(await start(mute, { waitMs: 3000 }));
    expect(error.problems).toMatchObject([{ code: 'RB941' }]);
    expect(performance.now() - begun).toBeLessThan(15_000);
  });

  it.each(['with marker', 'same group, no marker', 'port alone'] as const)(
    'that forks and ends (%s) goes on, and is ended',
    async (detach) => {
      const started = await serve({ detach });
      await started.untilReady(signal);
      expect((await probePolicy(started.endpoint, { timeoutMs: 5000 })).kind).toBe('metadata');
      await started.stop('calm');
      await expect(probePolicy(started.endpoint, { timeoutMs: 2000 })).rejects.toMatchObject({
        problems: [{ code: 'RB350' }],
      });
    },
  );

  it('that left a listener which nothing ties to it is told, and nobody is ended for it', async () => {
    const started = await start('exit 1');
    const somebody = createServer((socket) => socket.destroy()).listen(started.spec.port, '127.0.0.1');
    await refusalOf(started);
    await started.stop('hurried');
    expect(place.log.lines.join('\n')).toContain(
      'RB976 the candidate policy: something still listens at port',
    );
    expect(somebody.listening).toBe(true);
    await new Promise((resolve) => somebody.close(resolve));
  });

  it('that ignores SIGTERM is ended', async () => {
    const started = await serve({ ignoreTerm: true });
    await started.untilReady(signal);
    await started.stop('hurried');
  });

  it('that is stopped is ended', async () => {
    const started = await serve();
    await started.untilReady(signal);
    for (const pid of await processesWith(place.sign)) process.kill(pid, 'SIGSTOP');
    await started.stop('hurried');
  });

  it('that eats memory is refused with how it ended', async () => {
    const command = policy.command({ eatMemory: true }, '--max-old-space-size=48');
    const error = await refusalOf(await start(command, { waitMs: 60_000 }));
    expect(error.problems).toMatchObject([{ code: 'RB940' }]);
    expect(error.message).toContain('it was ended by SIGABRT');
    const killed = await refusalOf(await start('kill -9 $$'));
    expect(killed.message).toContain('SIGKILL, as the kernel does when memory runs out');
  }, 120_000);

  it('has PATH, HOME, PORT, a marker and what is named, and no secret of it is shown', async () => {
    const env = {
      GITHUB_TOKEN: 'ghs_16C7e42F292c6912E7710c838347Ae178B4a',
      'INPUT_GITHUB-TOKEN': 'ghs_16C7e42F292c6912E7710c838347Ae178B4a',
      ACTIONS_RUNTIME_TOKEN: 'eyJhbGciOiJSUzI1NiIsInR5cCI6IkpXVCJ9.e30.c2lnbmF0dXJl',
      CUDA_VISIBLE_DEVICES: '1',
    };
    const started = await start(
      'env | sed "s/^/has: /"; exit 7',
      { names: ['SIGN', 'CUDA_VISIBLE_DEVICES'] },
      env,
    );
    const error = await refusalOf(started);
    await started.stop('calm');
    const kept = await fs.readFile(place.logFile, 'utf8');
    const names = [...kept.matchAll(/^has: ([A-Za-z_]+)=/gm)]
      .map(([, name]) => name ?? '')
      .toSorted((left, right) => left.localeCompare(right));
    // The shell itself adds the last ones.
    expect(names.filter((name) => !['PWD', 'SHLVL', '_', 'OLDPWD'].includes(name ?? ''))).toEqual(
      ['CUDA_VISIBLE_DEVICES', 'HOME', 'PATH', 'PORT', 'ROLLOUT_BENCH_POLICY', 'SIGN'].sort(),
    );
    expect(`${kept}${error.message}`).not.toContain('16C7e42F');
  });

  it('that prints the secrets of its parent shows them nowhere', async () => {
    const secret = 'hf_nVbYtRqWcXzLkJhGfDsApOiUyTrEwQ';
    const started = await start(`echo token ${secret}; exit 1`, {}, { HF_TOKEN: secret });
    const error = await refusalOf(started);
    await started.stop('calm');
    const kept = await fs.readFile(place.logFile, 'utf8');
    expect(`${kept}${error.message}${place.log.lines.join('\n')}`).not.toContain(secret);
    expect(error.message).toContain('token ***');
  });

  it('that floods its log costs a few megabytes, and its last lines are known', async () => {
    // Before the policy: a Node process makes an output that it shares one that does not wait.
    const much = `yes "step 17 of 100, loss 0.25" | head -c ${FLOOD_BYTES}; echo the last line of all`;
    const started = await start(`${much}; exec ${policy.command()}`, { waitMs: 120_000 });
    await started.untilReady(signal);
    expect(started.lastLines().join('\n')).toContain('the last line of all\nserving at');
    await started.stop('calm');
    const sizes = await Promise.all(
      [place.logFile, `${place.logFile}.1`].map((file) =>
        fs.stat(file).then(
          ({ size }) => size,
          () => 0,
        ),
      ),
    );
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(20 * 1024 ** 2);
    expect(await fs.readFile(place.logFile, 'utf8')).toContain('bytes of output left out here');
  }, 300_000);

  it('that dies is started again once, and not a second time', async () => {
    const started = await serve();
    await started.untilReady(signal);
    const die = async (): Promise<void> => {
      const pid = (await processesWith(place.sign)).at(-1);
      if (pid !== undefined) process.kill(pid, 'SIGKILL');
      while (started.life.phase.kind === 'ready') await new Promise((resolve) => setTimeout(resolve, 10));
    };
    await die();
    expect(started.takeDeath()).toContain('SIGKILL');
    expect(started.takeDeath()).toBeNull();
    await started.untilReady(signal);
    expect(started.life).toMatchObject({ phase: { kind: 'ready' }, restarts: 1 });
    await die();
    const error = await refusalOf(started);
    expect(error.problems).toMatchObject([{ code: 'RB942' }]);
  });

  it('behind a command that has ended is ended by the stop command', async () => {
    // Stands for a container: a process of somebody else, which no signal and no marker reaches.
    const other = createServer();
    let stops = 0;
    other.on('connection', (socket) => {
      stops += 1;
      socket.destroy();
    });
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    // A listening TCP server has an address of this form.
    const { port } = other.address() as { port: number };
    const started = await start('true', {
      stopCommand: `exec 3<>/dev/tcp/127.0.0.1/${port}; echo "stopped {port} $PORT"`,
      waitMs: 1500,
    });
    const error = await refusalOf(started);
    expect(error.problems).toMatchObject([{ code: 'RB941' }]);
    await started.stop('calm');
    await new Promise((resolve) => other.close(resolve));
    expect(stops).toBe(1);
  });
});
