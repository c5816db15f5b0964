import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { foreignChanges } from '../../../src/queue/foreign-entries.ts';
import { readSessionsText } from '../../../src/queue/sessions-document.ts';
import { dumpYaml } from '../../../src/workspace/dump-yaml.ts';

type Entry = Record<string, unknown>;

const finished = (id: string, changes: Entry = {}): Entry => ({
  session_id: id,
  target_ref: 'target://robot',
  status: 'succeeded',
  updated_at: '2026-11-29T10:00:00Z',
  execution: { max_steps: 220 },
  result: { status: 'succeeded', success: true, num_steps: 118 },
  ...changes,
});
const waiting = (id: string, status: string, changes: Entry = {}): Entry => ({
  session_id: id,
  status,
  ...changes,
});
const document = (entries: readonly Entry[]) =>
  readSessionsText(`# Sessions\n\n\`\`\`yaml\n${dumpYaml({ sessions: entries })}\`\`\`\n`);
const compare = (before: readonly Entry[], after: readonly Entry[]) =>
  foreignChanges(document(before), document(after), (id) => id.startsWith('rb-'));
const NOTHING = { rewritten: [], disappeared: [], movedBack: [] };

describe('entries of others', () => {
  it('are unchanged when theirs are the same, whatever became of ours and of new ones', () => {
    const theirs = [finished('kitchen-1'), waiting('kitchen-2', 'running')];
    expect(compare([...theirs, finished('rb-1')], [waiting('new', 'pending'), ...theirs])).toEqual({
      compared: 2,
      ...NOTHING,
    });
  });

  it.each([
    ['its success', { result: { status: 'succeeded', success: false, num_steps: 118 } }],
    ['its error', { result: { status: 'succeeded', success: true, num_steps: 118, error_code: 'X' } }, true],
    ['its step count', { result: { status: 'succeeded', success: true, num_steps: 18 } }],
    ['a lost step count', { result: { status: 'succeeded', success: true } }],
    ['its status', { status: 'failed' }],
    ['its time', { updated_at: '2026-11-29T11:00:00Z' }],
    ['its limit', { execution: { max_steps: 300 } }],
  ])('show when a finished one was rewritten: %s', (_what, changes: Entry, isAddition = false) => {
    const rewritten = compare(
      [finished('a'), finished('b')],
      [finished('a'), finished('b', changes)],
    )?.rewritten;
    // What was not there before may be a default that the runtime wrote out.
    expect(rewritten).toEqual(isAddition ? [] : ['b']);
  });

  it('show which are gone, and which were set back', () => {
    const before = [finished('a'), waiting('b', 'running'), waiting('c', 'pending'), waiting('d', 'claimed')];
    const after = [waiting('b', 'pending'), waiting('d', 'cancelled')];
    expect(compare(before, after)).toEqual({
      compared: 4,
      rewritten: [],
      disappeared: ['a', 'c'],
      movedBack: ['b'],
    });
  });

  it('may be pending again after a retry of the runtime', () => {
    const before = [waiting('a', 'running', { retry: { max_retries: 2, attempted: 0 } })];
    const after = [waiting('a', 'pending', { retry: { max_retries: 2, attempted: 1 } })];
    expect(compare(before, after)).toMatchObject(NOTHING);
  });

  it('are not known when one of the documents cannot be read', () => {
    const broken = readSessionsText('no block here');
    expect(foreignChanges(document([]), broken, () => false)).toBeNull();
    expect(foreignChanges(broken, document([]), () => false)).toBeNull();
  });
});

describe('documents that the real runtime rewrote', () => {
  const root = new URL('../../../fixtures/runtime/', import.meta.url);
  const pairs = readdirSync(root).flatMap((name) => {
    const read = (file: string): string | null => {
      try {
        return readFileSync(new URL(`${name}/${file}`, root), 'utf8');
      } catch {
        return null;
      }
    };
    const before = read('SESSIONS.before.md');
    const after = read('SESSIONS.after.md');
    return before === null || after === null ? [] : [{ name, before, after }];
  });

  it('show no rewritten entry, and none that is gone but the one that was taken out by hand', () => {
    let compared = 0;
    for (const { name, before, after } of pairs) {
      const changes = foreignChanges(readSessionsText(before), readSessionsText(after), () => false);
      compared += changes?.compared ?? 0;
      const disappeared = name.startsWith('55-removed') ? ['c_run'] : [];
      expect(changes ?? { rewritten: [], disappeared }, name).toMatchObject({ rewritten: [], disappeared });
    }
    expect(compared).toBeGreaterThan(50);
  });
});
