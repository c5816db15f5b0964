import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { artifactsOfRun, artifactsOfThisRun, fetchArtifact } from '../../../src/github/artifact-download.ts';
import { artifactServiceMissing, uploadArtifact } from '../../../src/github/artifacts.ts';
import { attachToRelease } from '../../../src/github/release-asset.ts';
import { clientFor, fastClock, KeptLog, REPOSITORY, waitingClock } from './loopback/client-for.ts';
import { FAILURES } from './loopback/faults.ts';
import { LoopbackGitHub } from './loopback/loopback-github.ts';
import { zipOf } from './loopback/zip-of.ts';

let github: LoopbackGitHub;
let folder: string;
const saved = { ...process.env };
beforeEach(async () => {
  github = await LoopbackGitHub.start();
  github.token('t');
  folder = mkdtempSync(join(tmpdir(), 'artifacts-'));
  const scope = { scp: 'Actions.Example Actions.Results:77:job-1' };
  const jwt = ['e30', Buffer.from(JSON.stringify(scope)).toString('base64url'), 'x'].join('.');
  // @actions/artifact reads its settings from the environment.
  Object.assign(process.env, {
    ACTIONS_RESULTS_URL: `${github.url}/`,
    ACTIONS_RUNTIME_TOKEN: jwt,
    GITHUB_SERVER_URL: 'https://github.com',
    GITHUB_WORKSPACE: folder,
  });
});
afterEach(async () => {
  process.env = { ...saved };
  rmSync(folder, { recursive: true, force: true });
  await github.stop();
  expect(github.violations).toEqual([]);
});

function bundle(): { root: string; files: string[]; large: Buffer } {
  const root = join(folder, 'bundle');
  mkdirSync(join(root, 'raw'), { recursive: true });
  const large = randomBytes(9_000_000);
  writeFileSync(join(root, 'manifest.json'), '{}\n');
  writeFileSync(join(root, 'raw', 'noise.bin'), large);
  return { root, files: [join(root, 'manifest.json'), join(root, 'raw', 'noise.bin')], large };
}
const ports = () => ({ env: process.env, clock: fastClock(1), log: new KeptLog(), suffix: () => 'beef' });
const uploadOf = (name: string, { root, files }: { root: string; files: string[] }) => ({
  name,
  files,
  root,
  retentionDays: null,
  deadlineMs: 60_000,
});

describe('upload', () => {
  test('the archive arrives and comes back as it was', async () => {
    const made = bundle();
    const outcome = await uploadArtifact(uploadOf('bench-a1', made), ports());
    const [stored] = github.service.artifacts;
    expect(outcome).toMatchObject({ kind: 'uploaded', name: 'bench-a1', id: stored?.id });
    expect(stored?.finished).toBe(true);
    const source = await artifactsOfThisRun(process.env);
    const [found] = (await source?.list()) ?? [];
    expect(found?.name).toBe('bench-a1');
    if (source === null || found === undefined) throw new Error('not found');
    const into = join(folder, 'out');
    const names = await fetchArtifact(source, found, { temp: folder, into });
    expect(names.sort()).toEqual(['manifest.json', 'raw/noise.bin']);
    expect(readFileSync(join(into, 'raw', 'noise.bin')).equals(made.large)).toBe(true);
    expect(readdirSync(folder).sort()).toEqual(['bundle', 'out']);
  });

  test('a page is sent as it is under its own name, so that a click opens it', async () => {
    const root = join(folder, 'page');
    mkdirSync(root);
    const name = 'benchmark-page-a1.html';
    writeFileSync(join(root, name), '<!doctype html>');
    const upload = { ...uploadOf(name, { root, files: [join(root, name)] }), unzipped: true };
    const outcome = await uploadArtifact(upload, ports());
    const [stored] = github.service.artifacts;
    expect(outcome).toMatchObject({ kind: 'uploaded', name, id: stored?.id });
    if (stored === undefined) throw new Error('nothing was stored');
    expect(github.service.content(stored).toString()).toBe('<!doctype html>');
    // There is no other name to try: the service takes the file's.
    await expect(uploadArtifact(upload, ports())).rejects.toThrow(/RB821/);
  });

  test('a taken name gets a suffix once', async () => {
    const made = bundle();
    github.service.addArtifact('77', 'bench-a1', Buffer.from('theirs'));
    expect(await uploadArtifact(uploadOf('bench-a1', made), ports())).toMatchObject({
      name: 'bench-a1-beef',
    });
    await expect(uploadArtifact(uploadOf('bench-a1', made), ports())).rejects.toThrow(/RB821/);
  });

  test('a service that refuses is named, and where the files are', async () => {
    const made = bundle();
    github.faults.add({ operation: 'twirp/CreateArtifact', failure: FAILURES.notPermitted });
    await expect(uploadArtifact(uploadOf('bench-a1', made), ports())).rejects.toThrow(
      new RegExp(`RB821 artifact bench-a1: .*403.*${made.root}`),
    );
  });

  test('an upload that stalls ends at its deadline', async () => {
    const never = { uploadArtifact: () => new Promise<never>(() => {}) };
    const upload = { ...uploadOf('bench-a1', bundle()), deadlineMs: 900_000 };
    await expect(
      uploadArtifact(upload, { ...ports(), clock: waitingClock(), store: async () => never }),
    ).rejects.toThrow(/RB821.*longer than 900 s/);
  });

  test('without the service there is a reason instead of a failure', async () => {
    process.env['GITHUB_SERVER_URL'] = 'https://github.example.com';
    expect(await uploadArtifact(uploadOf('x', bundle()), ports())).toMatchObject({ kind: 'no-service' });
    expect(await artifactsOfThisRun(process.env)).toBeNull();
    expect(artifactServiceMissing({ GITHUB_SERVER_URL: 'https://github.com' })).toMatch(
      /ACTIONS_RUNTIME_TOKEN/,
    );
    expect(github.seen).toEqual([]);
  });
});

describe('artifacts of another run', () => {
  test('are listed over pages and fetched without the token', async () => {
    for (let n = 0; n < 120; n += 1)
      github.service.addArtifact('55', `a${n}`, zipOf([{ name: 'manifest.json', content: `${n}` }]));
    const source = artifactsOfRun(clientFor(github, 't'), REPOSITORY, 55);
    const found = await source.list();
    expect(found).toHaveLength(120);
    const wanted = found.find(({ name }) => name === 'a119');
    if (wanted === undefined) throw new Error('not found');
    const into = join(folder, 'out');
    await fetchArtifact(source, wanted, { temp: folder, into });
    expect(readFileSync(join(into, 'manifest.json'), 'utf8')).toBe('119');
  });

  test('without actions: read the message names it', async () => {
    github.token('weak', { contents: 'write' });
    await expect(artifactsOfRun(clientFor(github, 'weak'), REPOSITORY, 55).list()).rejects.toMatchObject({
      kind: 'permission',
      purpose: { permissions: ['actions: read'] },
    });
  });
});

describe('release asset', () => {
  const attach = (path: string, token = 't') =>
    attachToRelease(clientFor(github, token), REPOSITORY, { tag: 'v1.0', path, name: 'run 1.zip' });
  const archive = (content: string) => {
    const path = join(folder, 'a.zip');
    writeFileSync(path, content);
    return path;
  };

  test('is attached once; other content under the same name gets a name of its own', async () => {
    github.releases.releases.push({ id: 9, tag: 'v1.0', assets: [] });
    const first = await attach(archive('sealed'));
    expect(first).toMatchObject({
      present: false,
      sha256: createHash('sha256').update('sealed').digest('hex'),
    });
    expect(await attach(archive('sealed'))).toMatchObject({ present: true });
    await attach(archive('other'));
    expect(github.releases.releases[0]?.assets.map(({ name }) => name)).toEqual([
      'run 1.zip',
      `${createHash('sha256').update('other').digest('hex').slice(0, 12)}-run 1.zip`,
    ]);
  });

  test('goes to a draft, which an immutable release has to be before it is published', async () => {
    github.releases.releases.push(
      { id: 8, tag: 'v0.9', draft: true, assets: [] },
      { id: 9, tag: 'v1.0', draft: true, immutable: true, assets: [] },
    );
    expect(await attach(archive('sealed'))).toMatchObject({ present: false });
    expect(github.releases.releases.map(({ assets }) => assets.length)).toEqual([0, 1]);
  });

  test('is refused by a published immutable release, with the order that works, and nothing is sent', async () => {
    const content = Buffer.from('sealed');
    github.releases.releases.push({ id: 9, tag: 'v1.0', immutable: true, assets: [] });
    await expect(attach(archive('sealed'))).rejects.toThrow(/RB818 tag v1\.0.*[\s\S]*draft/);
    expect(github.seen.filter(({ operation }) => operation === 'repos/upload-release-asset')).toEqual([]);
    // What is there already needs no upload.
    github.releases.releases[0]?.assets.push({ id: 1, name: 'x', content });
    expect(await attach(archive('sealed'))).toMatchObject({ present: true });
  });

  test('a missing release and a missing permission are named', async () => {
    await expect(attach(archive('sealed'))).rejects.toThrow(/RB831 tag v1\.0/);
    github.releases.releases.push({ id: 9, tag: 'v1.0', assets: [] });
    github.token('weak', { contents: 'read' });
    await expect(attach(archive('sealed'), 'weak')).rejects.toMatchObject({ kind: 'permission' });
  });
});
