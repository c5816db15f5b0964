import { encode } from '@msgpack/msgpack';
import { afterEach, describe, expect, it } from 'vitest';
import { RbError } from '../../../src/errors/rb-error.ts';
import type { Clock, Log } from '../../../src/platform/ports.ts';
import { parseExpectation } from '../../../src/policy/expectation.ts';
import { probePolicy, samePolicy, waitForPolicy } from '../../../src/policy/probe.ts';
import { startPeer } from '../describe/ws-peer.ts';

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

async function policy(
  message: string | Uint8Array | null,
): Promise<{ endpoint: string; received: Buffer[] }> {
  const peer = await startPeer({ onConnect: (socket) => message !== null && socket.send(message) });
  stops.push(peer.stop);
  return { endpoint: `openpi://${peer.address}`, received: peer.received };
}

const options = { timeoutMs: 30_000 };
const metadata = { name: 'pi05', checkpoint: { step: 30_000, hash: 'abc' } };

const quiet: Log = {
  info: () => undefined,
  warning: () => undefined,
  error: () => undefined,
  group: () => undefined,
  endGroup: () => undefined,
  progress: () => undefined,
};

/** A clock that sleeps in no time, and does something each time it is asked to sleep. */
function jumpingClock(onSleep: () => Promise<void> = async () => undefined): Clock {
  let now = 0;
  return {
    now: () => now,
    sleep: async (ms) => {
      now += ms;
      await onSleep();
    },
  };
}

function expectation(items: string[]) {
  const parsed = parseExpectation(items);
  if (!parsed.ok) throw new Error(parsed.why);
  return parsed.expectation;
}

/** `{b"name": "x", "mean": {b"__ndarray__": true, b"data": 2 bytes}, "big": 2^63, "nan": NaN}` as Python's msgpack has it. */
const NUMPY_METADATA = Buffer.concat([
  Buffer.from([0x84]),
  ...[binary('name'), text('x')],
  ...[text('mean'), Buffer.from([0x82])],
  ...[binary('__ndarray__'), Buffer.from([0xc3])],
  ...[binary('data'), binary('\x01\x02')],
  ...[text('big'), Buffer.from([0xcf, 0x80, 0, 0, 0, 0, 0, 0, 0])],
  ...[text('nan'), Buffer.from([0xcb, 0x7f, 0xf8, 0, 0, 0, 0, 0, 0])],
]);

function binary(content: string): Buffer {
  return Buffer.concat([Buffer.from([0xc4, content.length]), Buffer.from(content)]);
}

/** At most 31 bytes. */
function text(content: string): Buffer {
  return Buffer.concat([Buffer.from([0xa0 + content.length]), Buffer.from(content)]);
}

describe('probePolicy', () => {
  it('reads the metadata and says nothing', async () => {
    const server = await policy(encode(metadata));
    const identity = await probePolicy(server.endpoint, options);
    expect(identity).toMatchObject({ kind: 'metadata', metadata, volatile: [] });
    expect(identity.digest).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(server.received).toEqual([]);
  });

  it('gives one digest for one policy, whatever the order of keys and the time of day', async () => {
    const first = await policy(encode({ ...metadata, server_time: 1 }));
    const second = await policy(
      encode({ server_time: 2, checkpoint: { hash: 'abc', step: 30_000 }, name: 'pi05' }),
    );
    const other = await policy(encode({ ...metadata, name: 'pi06' }));
    const [a, b, c] = await Promise.all(
      [first, second, other].map(({ endpoint }) => probePolicy(endpoint, options)),
    );
    expect(a?.digest).toBe(b?.digest);
    expect(a?.volatile).toEqual(['server_time']);
    expect(a?.digest).not.toBe(c?.digest);
    if (a !== undefined && b !== undefined && c !== undefined) {
      expect([samePolicy(a, b), samePolicy(a, c)]).toEqual([true, false]);
    }
  });

  it('reads binary keys, arrays, large integers and what JSON cannot hold', async () => {
    const server = await policy(NUMPY_METADATA);
    const identity = await probePolicy(server.endpoint, options);
    expect(identity.metadata).toMatchObject({
      name: 'x',
      mean: { __ndarray__: true, data: { $bytes: 2 } },
      big: { $int: '9223372036854775808' },
      nan: { $float: 'NaN' },
    });
    expect(JSON.parse(JSON.stringify(identity))).toEqual(identity);
  });

  it('knows no identity where the metadata is empty, and needs no server for the dummy', async () => {
    const server = await policy(encode({}));
    const unknown = await probePolicy(server.endpoint, options);
    expect(unknown).toEqual({ kind: 'unknown', digest: null, metadata: {}, volatile: [] });
    expect(samePolicy(unknown, unknown)).toBeNull();
    expect((await probePolicy('dummy://local', options)).kind).toBe('dummy');
  });

  it('connects to host and port only, as the runtime does', async () => {
    const server = await policy(encode(metadata));
    expect((await probePolicy(`${server.endpoint}/some/path`, options)).kind).toBe('metadata');
  });

  it.each([
    ['text', 'hello', /RB351.*text message/],
    ['a list', encode([1]), /RB351.*not a map/],
    ['garbage', new Uint8Array([0xc1]), /RB351.*not MessagePack/],
    ['2 MB', new Uint8Array(2 * 1024 * 1024), /RB351.*above/],
    [
      '40 levels',
      encode(Array.from({ length: 40 }).reduce<unknown>((inner) => ({ inner }), 1)),
      /RB351.*deeper/,
    ],
  ])('refuses metadata that is %s', async (_case, message, problem) => {
    const server = await policy(message);
    await expect(probePolicy(server.endpoint, options)).rejects.toThrowError(problem);
  });

  it('refuses a silent server and a missing one', async () => {
    const server = await policy(null);
    await expect(probePolicy(server.endpoint, { timeoutMs: 2000 })).rejects.toThrowError(
      /RB351.*no message within/,
    );
    await stops.pop()?.();
    await expect(probePolicy(server.endpoint, options)).rejects.toThrowError(/RB350.*ECONNREFUSED/);
    await expect(probePolicy('openpi://nowhere', options)).rejects.toThrowError(/RB309/);
  });
});

describe('waitForPolicy', () => {
  const waiting = { ...options, waitMs: 10_000, log: quiet, expect: null };

  it('waits for a policy that starts late', async () => {
    const first = await policy(encode(metadata));
    const port = Number(first.endpoint.split(':').at(-1));
    await stops.pop()?.();
    const { WebSocketServer } = await import('ws');
    const clock = jumpingClock(async () => {
      if (stops.length > 0) return;
      const server = new WebSocketServer({ host: '127.0.0.1', port });
      server.on('connection', (socket) => socket.send(encode(metadata)));
      await new Promise((resolve) => server.once('listening', resolve));
      stops.push(() => new Promise((resolve) => server.close(() => resolve())));
    });
    expect((await waitForPolicy(first.endpoint, { ...waiting, clock })).kind).toBe('metadata');
    expect(clock.now()).toBe(2000);
  });

  it('gives up when the time is over, and tries once without waiting', async () => {
    const gone = await policy(null);
    await stops.pop()?.();
    const clock = jumpingClock();
    await expect(waitForPolicy(gone.endpoint, { ...waiting, clock })).rejects.toThrowError(/RB350/);
    expect(clock.now()).toBe(10_000);
    const patient = jumpingClock();
    await expect(
      waitForPolicy(gone.endpoint, { ...waiting, waitMs: 0, clock: patient }),
    ).rejects.toThrowError(/RB350/);
    expect(patient.now()).toBe(0);
  });

  it('does not wait for metadata that is too large to become smaller', async () => {
    const server = await policy(new Uint8Array(10 * 1024 * 1024));
    const clock = jumpingClock(async () => {
      throw new Error('it waited');
    });
    const refused = waitForPolicy(server.endpoint, { ...waiting, clock });
    await expect(refused).rejects.toThrowError(/RB351 .*above 1048576 bytes.*at most 1024 kB of metadata/);
  });

  it('stops before anything is queued when another policy answers', async () => {
    const server = await policy(encode(metadata));
    const clock = jumpingClock();
    const wait = (items: string[]) =>
      waitForPolicy(server.endpoint, { ...waiting, clock, expect: expectation(items) });
    await expect(wait(['name=pi06', 'checkpoint.step=30000', 'seed=1'])).rejects.toThrowError(
      /RB352.*name is pi05, expected pi06; seed is absent, expected 1/,
    );
    await expect(wait([`sha256:${'0'.repeat(64)}`])).rejects.toThrowError(/RB352.*digest is sha256:/);
    const identity = await wait(['name=pi05', 'checkpoint.hash=abc']);
    expect(await wait([identity.digest ?? ''])).toEqual(identity);
    expect(clock.now()).toBe(0);
  });

  it('ends with the reason of the signal', async () => {
    const abort = new AbortController();
    const clock = jumpingClock(async () => abort.abort(new Error('stopped')));
    const gone = await policy(null);
    await stops.pop()?.();
    const result = waitForPolicy(gone.endpoint, { ...waiting, clock, signal: abort.signal });
    await expect(result).rejects.toThrow('stopped');
    await expect(result).rejects.not.toBeInstanceOf(RbError);
  });
});
