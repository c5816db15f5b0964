import { existsSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { DUMMY_SKILL_ID, DUMMY_TARGET_ID } from '../../../../src/host/host.ts';
import { Served } from './served.ts';

let served: Served;

afterEach(async () => {
  await served.end();
});

const dummy = { target_ref: DUMMY_TARGET_ID, skillruntime_ref: DUMMY_SKILL_ID };
const dummyEntry = (id: string, more: Record<string, unknown> = {}) => ({
  ...served.entry(id, { routing: { policy_endpoint: 'dummy://local' }, ...dummy }),
  ...more,
});

describe('host in mode service', () => {
  it('runs what is pending by priority and place, and leaves the evidence that the runtime leaves', async () => {
    served = await Served.start();
    served.queue(served.entry('a'), served.entry('b', { priority: 'high' }), dummyEntry('c'));
    expect(await served.once()).toBe(0);
    const order = served.events().flatMap((each) => (each.event === 'taken' ? [each.sessionId] : []));
    expect(order.filter((id) => id !== 'c')).toEqual(['b', 'a']);
    expect(served.sessions().map(({ status }) => status)).toEqual(['succeeded', 'succeeded', 'succeeded']);
    for (const { session_id: id, result, claimed_by: by } of served.sessions()) {
      expect(result).toMatchObject({
        status: 'succeeded',
        success: true,
        artifact_dir: `artifacts/runtime/${id}`,
      });
      expect(by).toBeNull();
      expect(existsSync(served.path(`artifacts/runtime/${id}/episode.json`))).toBe(true);
      expect(served.read('LOG.md')).toContain(`  ${id}:\n    session_id: ${id}\n`);
    }
  });

  it('goes on when sessions are queued later, until it is told to stop', async () => {
    served = await Served.start();
    await served.serve();
    served.queue(served.entry('a'));
    await served.reaches('a', 'succeeded');
    served.queue(served.entry('b'));
    await served.reaches('b', 'succeeded');
    expect(await served.stop()).toBe(0);
    expect(served.events().at(-1)).toEqual({ at: expect.any(String), event: 'ended', sessions: 2 });
  });

  it('leaves every byte of what others wrote', async () => {
    served = await Served.start();
    const text = [
      '# Our sessions',
      '',
      'Ask before you add one.',
      '',
      '~~~yaml',
      'version: runtime_sessions_v1',
      'owner: the lab   # an unknown key',
      'sessions:',
      '  # a finished one',
      '  - {session_id: old, target_ref: x, skillruntime_ref: y, task_description: "a: b", status: failed}',
      '',
      '  # ours',
      '  - session_id: new',
      `    target_ref: ${DUMMY_TARGET_ID}`,
      `    skillruntime_ref: ${DUMMY_SKILL_ID}`,
      '    task_description: |',
      '      two',
      '      lines',
      '    routing: {policy_endpoint: "dummy://local"}',
      '  # the end',
      '~~~',
      'More notes.',
      '',
    ].join('\n');
    served.put('SESSIONS.md', text);
    expect(await served.once()).toBe(0);
    const after = served.read('SESSIONS.md');
    const [head, tail] = [text.indexOf('  - session_id: new'), text.indexOf('  # the end')];
    expect(after.startsWith(text.slice(0, head))).toBe(true);
    expect(after.endsWith(text.slice(tail))).toBe(true);
    expect(served.session('new')).toMatchObject({ status: 'succeeded', task_description: 'two\nlines\n' });
  });

  it('excludes a second host', async () => {
    served = await Served.start();
    await served.serve();
    await served.until(() => served.events().length > 0, 'it watches');
    const second = await Served.start({ workspace: served.workspace });
    try {
      await second.serve();
      await expect(second.done).rejects.toMatchObject({
        exitCode: 75,
        problems: [{ code: 'RB960', message: expect.stringContaining(`process ${process.pid}`) }],
      });
    } finally {
      await second.end();
    }
  });
});
