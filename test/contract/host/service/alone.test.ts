import { afterEach, describe, expect, it } from 'vitest';
import { Watchdog } from '../../../../src/host/watchdog.ts';
import { Served } from './served.ts';

let served: Served;

afterEach(async () => {
  await served.end();
});

const stopped = (): boolean => served.events().some(({ event }) => event === 'stopped');
const IDS = Array.from({ length: 12 }, (_, index) => `s${String(index).padStart(2, '0')}`);
const recent = (): string => new Date().toISOString();

describe('another watchdog on the workspace', () => {
  it('stops this one, and no session ends wrong, twice or not at all', async () => {
    served = await Served.start({ stepMs: 2 });
    const other = new Watchdog({ workspace: served.workspace, style: 'background', pollMs: 5 });
    served.queue(...IDS.map((id) => served.entry(id)));
    await served.serve();
    await served.until(() => served.raw().some(({ status }) => status === 'succeeded'), 'one has ended');
    other.start();
    try {
      await served.until(stopped, 'this one stops');
      await served.until(
        () => served.raw().every(({ status }) => status === 'succeeded' || status === 'failed'),
        'the other one is through',
      );
    } finally {
      await other.stop();
    }
    const ours = new Set(served.events().flatMap((each) => (each.event === 'taken' ? [each.sessionId] : [])));
    expect(served.raw().map((each) => each['session_id'])).toEqual(IDS);
    for (const { session_id: id, status, result } of served.sessions()) {
      if (status === 'succeeded') continue;
      // Only what this host had when the other one came.
      expect(ours.has(id)).toBe(true);
      expect(result.error_code).toBe('HOST_NOT_ALONE');
    }
    expect(served.sessions().filter(({ status }) => status === 'failed').length).toBeLessThanOrEqual(1);
    expect(JSON.parse(served.read('artifacts/rollout-bench/.host/watchdog.json')).stopped).not.toBeNull();
  });

  it('is waited for while it has a session, which is reported and not touched', async () => {
    served = await Served.start();
    const left = { status: 'running', updated_at: recent(), timeouts: { execute_timeout_s: 300 } };
    served.queue(served.entry('theirs', left), served.entry('mine'));
    await served.serve();
    await served.until(() => served.events().some(({ event }) => event === 'waiting'), 'it waits');
    expect(served.events()).toContainEqual(
      expect.objectContaining({ event: 'left', sessionId: 'theirs', status: 'running' }),
    );
    expect(served.raw()[1]).toMatchObject({ session_id: 'mine' });
    // The other one ends it: that is a watchdog at work.
    served.put('SESSIONS.md', served.read('SESSIONS.md').replace('status: running', 'status: succeeded'));
    await served.until(stopped, 'it stops');
    expect(served.session('mine')?.status).toBe('pending');
  });

  it('of long ago is reported, and what is pending runs', async () => {
    served = await Served.start();
    const left = { status: 'running', updated_at: '2026-01-01T00:00:00Z' };
    served.queue(served.entry('theirs', left), served.entry('mine'));
    const before = served.raw()[0];
    expect(await served.once()).toBe(0);
    expect(served.session('mine')?.status).toBe('succeeded');
    expect(served.raw()[0]).toEqual(before);
  });
});

describe('people and programs that queue', () => {
  it('add, take out, cancel and repeat entries, and are no watchdog', async () => {
    served = await Served.start();
    served.queue(served.entry('a'), served.entry('b', { status: 'failed' }));
    await served.serve();
    await served.reaches('a', 'succeeded');
    const text = served.read('SESSIONS.md');
    served.put('SESSIONS.md', text.replace('status: failed', 'status: pending'));
    await served.reaches('b', 'succeeded');
    served.queue(served.entry('c', { status: 'cancelled' }), served.entry('d'));
    await served.reaches('d', 'succeeded');
    expect(stopped()).toBe(false);
  });

  it('end a running session by cancelling its entry or taking it out', async () => {
    served = await Served.start({ stepMs: 30 });
    for (const [id, edit] of [
      ['word', (text: string) => text.replace('status: running', 'status: cancelled')],
      ['wish', (text: string) => text.replace('status: running', 'status: cancelling')],
      ['gone', () => '# Runtime Sessions\n\n```yaml\nsessions: []\n```\n'],
    ] as const) {
      served.queue(served.entry(id));
      await served.serve();
      const { requests } = served.host.target;
      const steps = (): number => requests.filter((type) => type === 'target.action_chunk').length;
      const before = steps();
      await served.until(() => steps() > before, `${id} runs`);
      const asked = requests.length;
      served.put('SESSIONS.md', edit(served.read('SESSIONS.md')));
      const ended = (): boolean =>
        requests.slice(asked).includes('target.close') &&
        served.raw().every(({ status }) => status === 'cancelled');
      await served.until(ended, `${id} has ended`);
      expect(await served.stop()).toBe(0);
      expect(stopped()).toBe(false);
    }
  });

  it('a signal lets what runs end, and a second one cancels it', async () => {
    served = await Served.start({ stepMs: 20 });
    served.queue(served.entry('a'), served.entry('b'));
    await served.serve();
    await served.reaches('a', 'running');
    expect(await served.stop()).toBe(0);
    expect(served.raw().map(({ status }) => status ?? 'pending')).toEqual(['succeeded', 'pending']);
    await served.serve();
    const { requests } = served.host.target;
    const before = requests.length;
    await served.until(() => requests.length > before + 3, 'b runs');
    expect(await served.cancel()).toBe(0);
    expect(served.session('b')?.result.error_code).toBe('HOST_CANCELLED');
    expect(requests.slice(before)).toEqual(expect.arrayContaining(['target.cancel', 'target.close']));
  });
});
