import * as fs from 'node:fs/promises';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { type Host, LIBERO_TARGET_ID, startHost } from '../../../src/host/host.ts';
import { nothingMovesIn, whyRefused } from '../../../src/job/measure/why-refused.ts';
import { openHost } from '../../../src/job/prepare/open-host.ts';
import { takeLane } from '../../../src/lane/lane.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import { hostStatus } from '../../../src/queue/host-status.ts';
import { MAX_DOCUMENT_BYTES } from '../../../src/workspace/document-limit.ts';
import { findYamlBlock } from '../../../src/workspace/fenced-block.ts';
import { loadYaml } from '../../../src/workspace/pyyaml.ts';
import { isMapping } from '../../../src/workspace/shape.ts';
import { KeptLog } from '../github/loopback/client-for.ts';
import { called } from './verb-context.ts';

let host: Host | null = null;
afterEach(async () => {
  await host?.stop();
  host = null;
});

async function open(workspace: string): ReturnType<typeof openHost> {
  const argv = ['run', '--workspace', workspace, '--target', LIBERO_TARGET_ID];
  const { verb } = await called([...argv, '--policy-endpoint', 'openpi://127.0.0.1:1']);
  return openHost(verb.inputs);
}

describe('the preconditions of a run', () => {
  it('refuse a TARGETS.md that no cell target can be put into, before anything is written', async () => {
    host = await startHost({ rule: { kind: 'stub' }, startWatchdog: false });
    const { workspace } = host;
    await expect(open(workspace)).resolves.toMatchObject({ workspace });
    const file = path.join(workspace, 'TARGETS.md');
    const block = findYamlBlock(await fs.readFile(file, 'utf8'));
    if ('problem' in block) throw new Error(block.problem);
    const document = loadYaml(block.body);
    if (!isMapping(document)) throw new Error('not a mapping');
    const flow = `version: "${String(document['version'])}"\ntargets: ${JSON.stringify(document['targets'])}\n`;
    await fs.writeFile(file, `# Runtime Targets\n\n\`\`\`yaml\n${flow}\`\`\`\n`);
    // The runtime itself has nothing against it.
    expect(await whyRefused(workspace)).toBeNull();
    const before = await fs.readdir(workspace, { recursive: true });
    await expect(open(workspace)).rejects.toMatchObject({ exitCode: 3, problems: [{ code: 'RB212' }] });
    expect(await fs.readdir(workspace, { recursive: true })).toEqual(before);
  });
});

describe('a workspace that nothing is written into', () => {
  it.each(['artifacts', 'artifacts/rollout-bench', 'SESSIONS.md.lock'])(
    'is refused when %s is a link, by a run and by what takes the lane',
    async (place) => {
      host = await startHost({ rule: { kind: 'stub' }, startWatchdog: false });
      const { workspace } = host;
      const outside = await fs.mkdtemp(path.join(tmpdir(), 'rb-outside-'));
      await fs.rm(path.join(workspace, place), { recursive: true, force: true });
      await fs.symlink(
        place.endsWith('lock') ? path.join(outside, 'lock') : outside,
        path.join(workspace, place),
      );
      const refused = { exitCode: 3, problems: [{ code: 'RB213', where: path.join(workspace, place) }] };
      await expect(open(workspace)).rejects.toMatchObject(refused);
      const lane = { workspace, runId: 'x', waitMs: 0, clock: systemClock, log: new KeptLog() };
      await expect(takeLane(lane)).rejects.toMatchObject(refused);
      expect(await fs.readdir(outside)).toEqual([]);
      await fs.rm(outside, { recursive: true });
    },
  );

  it('is refused, and not made, when it is missing or a file', async () => {
    const folder = await fs.mkdtemp(path.join(tmpdir(), 'rb-folder-'));
    await fs.writeFile(path.join(folder, 'file'), '');
    for (const workspace of [path.join(folder, 'missing'), path.join(folder, 'file')]) {
      const refused = { exitCode: 3, problems: [{ code: 'RB231', where: workspace }] };
      await expect(open(workspace)).rejects.toMatchObject(refused);
      const lane = { workspace, runId: 'x', waitMs: 0, clock: systemClock, log: new KeptLog() };
      await expect(takeLane(lane)).rejects.toMatchObject(refused);
    }
    expect(await fs.readdir(folder)).toEqual(['file']);
    await fs.rm(folder, { recursive: true });
  });

  it('is one problem when it is another folder, and one for each document that is missing', async () => {
    const folder = await fs.mkdtemp(path.join(tmpdir(), 'rb-folder-'));
    const refused = { exitCode: 3, problems: [expect.objectContaining({ code: 'RB233', where: folder })] };
    await expect(open(folder)).rejects.toMatchObject(refused);
    host = await startHost({ rule: { kind: 'stub' }, startWatchdog: false });
    await fs.rm(path.join(host.workspace, 'SKILLRUNTIME.md'));
    await fs.rm(path.join(host.workspace, 'SESSIONS.md'));
    await expect(open(host.workspace)).rejects.toMatchObject({
      exitCode: 3,
      problems: ['SKILLRUNTIME.md', 'SESSIONS.md'].map((where) =>
        expect.objectContaining({ code: 'RB201', where }),
      ),
    });
    await fs.rm(folder, { recursive: true });
  });
});

describe('targets of one id', () => {
  it('are one target, the first, as for the runtime', async () => {
    host = await startHost({ rule: { kind: 'stub' }, startWatchdog: false });
    const file = path.join(host.workspace, 'TARGETS.md');
    const text = await fs.readFile(file, 'utf8');
    const entry = /^ {2}- id: libero_real_remote\n(?: {4}.*\n)+/m.exec(text)?.[0] ?? '';
    expect(entry).toContain('max_steps');
    await fs.writeFile(
      file,
      text.replace(entry, `${entry}${entry.replace(/max_steps: \d+/, 'max_steps: 1')}`),
    );
    const opened = await open(host.workspace);
    expect(opened.target.config['max_steps']).not.toBe(1);
    expect(opened.warnings.map(({ code }) => code)).toContain('RB209');
  });
});

describe('whyRefused', () => {
  it('names what the runtime would refuse', async () => {
    host = await startHost({ rule: { kind: 'stub' }, startWatchdog: false });
    const file = path.join(host.workspace, 'TARGETS.md');
    const text = await fs.readFile(file, 'utf8');
    await fs.writeFile(file, text.replace(/^( *)- id: /m, '$1- colour: red\n$1  id: '));
    expect(await whyRefused(host.workspace)).toContain('colour');
  });

  it('is asked again once a document changed', async () => {
    host = await startHost({ rule: { kind: 'stub' }, startWatchdog: false });
    const { workspace } = host;
    const why = nothingMovesIn(workspace);
    expect(await why()).toBeNull();
    const file = path.join(workspace, 'TARGETS.md');
    const text = await fs.readFile(file, 'utf8');
    await fs.writeFile(file, text.replace(/^( *)- id: /m, '$1- colour: red\n$1  id: '));
    expect(await why()).toContain('colour');
    await fs.writeFile(file, text);
    expect(await why()).toBeNull();
  });
});

describe('a SESSIONS.md that the queue would not read', () => {
  it('is refused before the run, not in the middle of it', async () => {
    host = await startHost({ rule: { kind: 'stub' }, startWatchdog: false });
    const file = path.join(host.workspace, 'SESSIONS.md');
    // Sparse: only its length counts.
    await fs.truncate(file, MAX_DOCUMENT_BYTES + 1);
    await expect(open(host.workspace)).rejects.toMatchObject({ exitCode: 3, problems: [{ code: 'RB214' }] });
    await expect(hostStatus(host.workspace, 0)).rejects.toMatchObject({ problems: [{ code: 'RB214' }] });
  });
});
