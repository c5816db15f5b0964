import * as fs from 'node:fs/promises';
import * as os from 'node:os';
import * as path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hostProblems } from '../../../src/app/doctor/host-checks.ts';
import { fence } from '../../../src/app/fence.ts';
import { clearFence, fenceProblem, readFence } from '../../../src/lane/fence.ts';
import { hostFolder } from '../../../src/lane/host-folder.ts';
import { takeLane } from '../../../src/lane/lane.ts';
import { openLedger, readLedger } from '../../../src/lane/ledger.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import { QueueDocuments } from '../../../src/queue/documents.ts';
import { hostRefusal } from '../../../src/queue/host-refusal.ts';
import { removeStrayFiles } from '../../../src/queue/sweep.ts';
import { called } from '../app/verb-context.ts';
import { silentLog } from '../queue/bench-run.ts';

let root = '';
let workspace = '';
let elsewhere = '';
beforeEach(async () => {
  root = await fs.mkdtemp(path.join(os.tmpdir(), 'rb-damaged-'));
  workspace = path.join(root, 'workspace');
  elsewhere = path.join(root, 'elsewhere');
  await fs.mkdir(hostFolder(workspace).root, { recursive: true });
  await fs.mkdir(elsewhere);
  await fs.writeFile(path.join(workspace, 'SESSIONS.md'), '');
});
afterEach(() => fs.rm(root, { recursive: true }));

const now = (): number => 0;

describe('a link in the folder of the host', () => {
  it('is written through by neither the ledger nor the list of cleared fences', async () => {
    const { ledger, clearedFences } = hostFolder(workspace);
    const victim = path.join(elsewhere, 'victim');
    await fs.writeFile(victim, 'theirs\n');
    await fs.symlink(victim, ledger);
    await fs.symlink(victim, clearedFences);
    await expect(openLedger(ledger, now)).rejects.toMatchObject({
      exitCode: 3,
      problems: [{ code: 'RB213', where: ledger }],
    });
    const clearing = {
      at: 'now',
      reason: 'r',
      entry: 'unknown',
      entryText: null,
    } as const;
    await expect(clearFence(workspace, { kind: 'unreadable', why: '' }, clearing)).rejects.toMatchObject({
      problems: [{ code: 'RB213', where: clearedFences }],
    });
    expect(await fs.readFile(victim, 'utf8')).toBe('theirs\n');
  });

  it('makes nobody else’s ledger ours', async () => {
    const { ledger } = hostFolder(workspace);
    const theirs = path.join(elsewhere, 'ledger.jsonl');
    await fs.writeFile(theirs, '');
    await fs.symlink(theirs, ledger);
    await expect(readLedger(ledger)).rejects.toMatchObject({
      problems: [{ code: 'RB408' }],
    });
  });

  it.each(['tickets', 'contracts', 'swept', 'qualifications', 'approved-plans'])(
    'named %s is refused before the lane is taken',
    async (name) => {
      const place = path.join(hostFolder(workspace).root, name);
      await fs.symlink(elsewhere, place);
      const request = {
        workspace,
        runId: 'r',
        waitMs: 0,
        clock: systemClock,
        log: silentLog,
      };
      await expect(takeLane(request)).rejects.toMatchObject({
        exitCode: 3,
        problems: [{ code: 'RB213', where: place }],
      });
      expect(await fs.readdir(elsewhere)).toEqual([]);
    },
  );
});

describe('something else in the place of a file or folder of the host', () => {
  it('as the contracts: a problem of the host, and no bug', async () => {
    await fs.writeFile(hostFolder(workspace).contracts, 'x');
    const documents = new QueueDocuments(workspace);
    const contractRef = `artifacts/rollout-bench/.host/contracts/t.runtime.yaml`;
    const target = { id: 't', contractRef, entry: {}, contract: {} };
    try {
      const error: unknown = await documents.writeContract(target).catch((reason: unknown) => reason);
      expect(error).toMatchObject({
        exitCode: 3,
        problems: [{ code: 'RB219' }],
      });
      expect(hostRefusal(error)).toMatch(/something else has this name/);
      expect(hostRefusal(error)).not.toMatch(/\.$/);
    } finally {
      documents.close();
    }
  });

  it.each(['contracts', 'tickets'] as const)(
    'as the %s: told by doctor before a run meets it',
    async (name) => {
      const place = hostFolder(workspace)[name];
      const found = async (): Promise<string[]> =>
        (await hostProblems(workspace, process.env['PATH'] ?? '')).map(
          ({ code, where }) => `${code} ${where}`,
        );
      await fs.mkdir(place);
      expect(await found()).not.toContain(`RB219 ${place}`);
      await fs.rmdir(place);
      await fs.writeFile(place, 'x');
      expect(await found()).toContain(`RB219 ${place}`);
    },
  );

  it('as the fence: fenced, and cleared by a reason', async () => {
    const { fence: place } = hostFolder(workspace);
    await fs.mkdir(place);
    expect(fenceProblem(await readFence(workspace), workspace)?.message).not.toMatch(/\.\.$/);
    const call = await called(['fence', '--workspace', workspace, '--clear', '--reason', 'made by hand']);
    expect(await fence(call.verb)).toBe(0);
    expect(await readFence(workspace)).toEqual({ kind: 'none' });
  });
});

describe('a ledger that cannot be read', () => {
  it.each([
    ['another record', (file: string) => fs.writeFile(file, '{"foo":1}\n')],
    ['a folder', (file: string) => fs.mkdir(file)],
  ] as const)('because of %s is told by doctor as what stops a benchmark', async (_, damage) => {
    const { ledger } = hostFolder(workspace);
    const codes = async (): Promise<string[]> =>
      (await hostProblems(workspace, process.env['PATH'] ?? ''))
        .filter(({ severity }) => severity === 'fatal')
        .map(({ code }) => code);
    expect(await codes()).not.toContain('RB408');
    await damage(ledger);
    expect(await codes()).toContain('RB408');
  });

  it('half-written by a killed compaction is swept away', async () => {
    const stray = `${path.join(hostFolder(workspace).root, '.ledger.jsonl.rb-0123456789ab.tmp')}`;
    await fs.writeFile(stray, '');
    expect(await removeStrayFiles(workspace)).toEqual([path.relative(workspace, stray)]);
  });
});
