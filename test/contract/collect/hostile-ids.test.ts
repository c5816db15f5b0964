import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { collectSessions } from '../../../src/app/collect/collect-sessions.ts';
import { walkFolder } from '../../../src/files/walk.ts';
import { planOf, writeWorkspace } from '../bundle/bundle-builder.ts';

let outside: string;
let workspace: string;
beforeEach(() => {
  outside = mkdtempSync(join(tmpdir(), 'rb-hostile-'));
  workspace = join(outside, 'srv', 'workspace');
  mkdirSync(workspace, { recursive: true });
  writeWorkspace(workspace, planOf(3), 'a colleague');
});
afterEach(() => rmSync(outside, { recursive: true, force: true }));

const collect = (sessionIds: readonly string[] = []): ReturnType<typeof collectSessions> =>
  collectSessions({
    workspace,
    sessionIds,
    tool: { version: '0.1.0', distHash: null },
    nowMs: Date.UTC(2026, 10, 29, 17),
    randomHex: '0a1b',
    secrets: [],
    template: null,
  });

function renamed(id: string): void {
  const file = join(workspace, 'SESSIONS.md');
  writeFileSync(
    file,
    readFileSync(file, 'utf8').replaceAll('session_id: s1\n', `session_id: ${JSON.stringify(id)}\n`),
  );
}

describe('collect in a workspace whose ids and folders are chosen by others', () => {
  it.each([
    '../../../../../../escaped',
    '../x',
    '..',
    '.',
    'a/b',
    '/etc/x',
    'a\\b',
    'n\0ul',
    'l'.repeat(300),
  ])('refuses the session id %j and writes nothing', async (id) => {
    renamed(id);
    const before = walkFolder(outside);
    await expect(collect()).rejects.toMatchObject({
      exitCode: 3,
      problems: [{ code: 'RB524', where: 'SESSIONS.md', value: JSON.stringify(id.slice(0, 100)) }],
    });
    expect(walkFolder(outside)).toEqual(before);
  });

  it('collects the others when they are named', async () => {
    renamed('../../x');
    expect((await collect(['s0', 's2'])).runs[0]?.records.map(({ sessionId }) => sessionId)).toEqual([
      's0',
      's2',
    ]);
  });

  it.each(['artifacts', 'artifacts/rollout-bench'])('does not follow %s when it is a link', async (place) => {
    const elsewhere = join(outside, 'elsewhere');
    mkdirSync(elsewhere);
    rmSync(join(workspace, place), { recursive: true, force: true });
    symlinkSync(elsewhere, join(workspace, place));
    await expect(collect()).rejects.toMatchObject({ exitCode: 3, problems: [{ code: 'RB213' }] });
    expect(walkFolder(elsewhere).files).toEqual([]);
  });
});
