import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { GitHubClient } from '../../../src/github/client.ts';
import { readConfigFile } from '../../../src/inputs/config-file.ts';
import { readInputs } from '../../../src/inputs/read-inputs.ts';
import { mayShowFrames } from '../../../src/job/judge/public-frames.ts';
import { rulesFor } from '../../../src/job/judge/rules.ts';
import { fastClock, KeptLog } from '../github/loopback/client-for.ts';

const BASE = 'b'.repeat(40);
const HEAD = 'c'.repeat(40);
const WORKFLOW = '.github/workflows/bench.yml';

/** Files of the base commit by path. */
let atBase: Map<string, string>;
/** Files that the pull request edits, as a comparison lists them. */
let compared: { filename: string; previous_filename?: string }[] = [];
let refused = false;
let server: Server;
let checkout: string;

beforeEach(async () => {
  atBase = new Map();
  refused = false;
  compared = [];
  checkout = mkdtempSync(join(tmpdir(), 'rb-checkout-'));
  mkdirSync(join(checkout, '.github/workflows'), { recursive: true });
  server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://localhost');
    const file = decodeURIComponent(url.pathname.replace('/repos/o/r/contents/', ''));
    const text = url.searchParams.get('ref') === BASE ? atBase.get(file) : undefined;
    response.setHeader('content-type', 'application/json');
    if (!refused && url.pathname === `/repos/o/r/compare/${BASE}...${HEAD}`) {
      response.end(JSON.stringify({ files: compared }));
      return;
    }
    response.statusCode = refused ? 403 : text === undefined ? 404 : 200;
    const body = text === undefined ? { message: 'no' } : { content: Buffer.from(text).toString('base64') };
    response.end(JSON.stringify({ encoding: 'base64', ...body }));
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
});
afterEach(() => {
  server.close();
  rmSync(checkout, { recursive: true, force: true });
});

/** The pull request as GitHub tells it to a `workflow_run`. */
const PULL = {
  number: 1,
  headSha: HEAD,
  headRepositoryId: 2,
  baseRepositoryId: 1,
  baseRef: 'main',
  baseSha: BASE,
  fork: true,
};

function ask(
  config: string | null,
  workflow: string | null,
  more: Record<string, string> = {},
  eventName = 'pull_request',
) {
  if (config !== null) writeFileSync(join(checkout, 'bench.yml'), config);
  if (workflow !== null) writeFileSync(join(checkout, WORKFLOW), workflow);
  const { port } = server.address() as AddressInfo;
  const client = new GitHubClient({
    token: 't',
    apiUrl: `http://127.0.0.1:${port}`,
    clock: fastClock(1),
    log: new KeptLog(),
    random: () => 0,
  });
  const raw = config === null ? more : { config: join(checkout, 'bench.yml'), ...more };
  const inputs = readInputs(raw, readConfigFile(config ?? '', 'config file'), { required: [] });
  const env = { GITHUB_WORKSPACE: checkout, GITHUB_WORKFLOW_REF: `o/r/${WORKFLOW}@refs/pull/1/merge` };
  const commits = eventName === 'workflow_run' ? [null, null] : [BASE, HEAD];
  const [baseCommit = null, headCommit = null] = commits;
  return rulesFor(
    { inputs, env },
    {
      context: { eventName, baseCommit, headCommit },
      facts: { pull: { kind: 'event', pull: PULL } },
      github: { client, repository: { owner: 'o', repo: 'r' } },
    },
  );
}

describe('rules of the base commit', () => {
  it('say nothing when the pull request edits neither config nor workflow', async () => {
    atBase.set('bench.yml', 'min-success-rate: 90%\n').set(WORKFLOW, 'on: push\n');
    const rules = await ask('min-success-rate: 90%\n', 'on: push\n');
    expect(rules.warnings).toEqual([]);
    expect(rules.given).toMatchObject([{ minSuccessRate: 0.9 }]);
  });

  it('hold beside those of a pull request that lowers the floor, and the report says so', async () => {
    atBase.set('bench.yml', 'min-success-rate: 90%\nmax-regression: 2%\n');
    const rules = await ask('min-success-rate: 10%\n', null);
    expect(rules.given).toMatchObject([
      { minSuccessRate: 0.1, maxRegression: null },
      { minSuccessRate: 0.9, maxRegression: 0.02 },
    ]);
    expect(rules.warnings).toMatchObject([{ code: 'measurement_changed' }]);
    expect(rules.warnings[0]?.text).toContain('bench.yml');
  });

  it('have the word on dropped tasks: a pull request cannot give it to itself', async () => {
    const word = 'allow-dropped-tasks: true\n';
    atBase.set('bench.yml', 'min-success-rate: 90%\n');
    expect((await ask(`min-success-rate: 90%\n${word}`, null)).droppedTasks).toBe(false);
    atBase.set(WORKFLOW, 'on: push\n').set('bench.yml', '');
    expect((await ask('', 'on: pull_request\n', { 'allow-dropped-tasks': 'true' })).droppedTasks).toBe(false);
    atBase.set('bench.yml', word);
    expect((await ask('seed: 7\n', null)).droppedTasks).toBe(true);
    expect((await ask(word, 'on: push\n')).droppedTasks).toBe(true);
    atBase.set('bench.yml', 'seed: 7\n');
    expect((await ask('seed: 7\n', 'on: push\n')).droppedTasks).toBeNull();
    refused = true;
    expect((await ask(word, null)).droppedTasks).toBe(false);
  });

  it('are those of the usual config file, also where the change takes it away or names another', async () => {
    const usual = '.github/rollout-bench.yml';
    atBase.set(usual, 'min-success-rate: 90%\npresets:\n  pr: {max-regression: 2%}\n');
    // Without a checkout nothing tells that the file was taken away.
    expect((await ask(null, null)).warnings).toEqual([]);
    mkdirSync(join(checkout, '.git'));
    const gone = await ask(null, null, { preset: 'pr' });
    expect(gone.warnings[0]?.text).toContain(`edits ${usual}.`);
    expect(gone.given[1]).toMatchObject({ minSuccessRate: 0.9, maxRegression: 0.02 });
    const renamed = await ask('min-success-rate: 10%\n', null);
    expect(renamed.warnings[0]?.text).toContain(`bench.yml and ${usual}`);
    expect(renamed.given).toContainEqual(expect.objectContaining({ minSuccessRate: 0.9 }));
    writeFileSync(join(checkout, usual), atBase.get(usual) ?? '');
    expect((await ask(null, null)).warnings).toEqual([]);
  });

  it('are read although the base commit uses names of an earlier version', async () => {
    atBase.set('bench.yml', 'max-sessions: 10\nmin-success-rate: 90%\n');
    const rules = await ask('caps: {sessions: 10}\nmin-success-rate: 50%\n', null);
    expect(rules.given).toContainEqual(expect.objectContaining({ minSuccessRate: 0.9 }));
    expect(rules.warnings).toMatchObject([{ code: 'measurement_changed' }]);
  });

  it('mark an edited or new workflow', async () => {
    const rules = await ask(null, 'on: workflow_dispatch\n');
    expect(rules.warnings[0]?.text).toContain(WORKFLOW);
  });

  it('are said to be unread when the token may not read them', async () => {
    refused = true;
    const rules = await ask('min-success-rate: 10%\n', null);
    expect(rules.warnings).toMatchObject([{ code: 'base_rules_unread' }]);
  });
});

describe('protected paths', () => {
  const edits = async (...files: string[]) => {
    compared = files.map((filename) => ({ filename }));
    const { warnings } = await ask(null, null, { 'protected-paths': 'plans/,tasks.yml' });
    return warnings.map(({ code, text }) => [code, text]);
  };

  it('are named when the pull request edits, moves or removes one, and nothing else is', async () => {
    expect(await edits('src/policy.py', 'tasks.yml.md', 'plansX/a.json')).toEqual([]);
    expect(await edits('plans/libero.json', 'src/policy.py')).toEqual([
      ['measurement_changed', expect.stringContaining('edits plans/libero.json.')],
    ]);
    compared = [{ filename: 'old/tasks.yml', previous_filename: 'tasks.yml' }];
    const moved = await ask(null, null, { 'protected-paths': 'tasks.yml' });
    expect(moved.warnings[0]?.text).toContain('edits tasks.yml.');
  });

  it('of the base commit hold although the pull request takes them out of the config', async () => {
    atBase.set('bench.yml', 'protected-paths: [plans]\n');
    compared = [{ filename: 'plans/libero.json' }];
    const { warnings } = await ask('min-success-rate: 10%\n', null);
    expect(warnings[0]?.text).toContain('bench.yml and plans/libero.json');
  });

  it('count as edited beyond what GitHub lists', async () => {
    const many = Array.from({ length: 300 }, (_, index) => `src/${index}.py`);
    expect((await edits(...many))[0]?.[1]).toContain('more than 300 files');
  });

  it('cost no request where there are none', async () => {
    compared = [{ filename: 'plans/libero.json' }];
    expect((await ask(null, null)).warnings).toEqual([]);
  });
});

describe('a report by workflow_run, on the default branch', () => {
  const reported = (more: Record<string, string> = {}) =>
    ask('min-success-rate: 90%\n', 'on: push\n', more, 'workflow_run');

  it('is told what the pull request edits of workflows, config and protected paths', async () => {
    compared = ['src/policy.py', '.github/workflows/measure.yml', 'bench.yml', 'plans/a.json'].map(
      (filename) => ({
        filename,
      }),
    );
    const { warnings, given } = await reported({ 'protected-paths': 'plans' });
    expect(warnings).toMatchObject([{ code: 'measurement_changed' }]);
    expect(warnings[0]?.text).toContain('.github/workflows/measure.yml and bench.yml and plans/a.json.');
    expect(given).toMatchObject([{ minSuccessRate: 0.9 }]);
  });

  it('does not take what the default branch has changed since for an edit', async () => {
    atBase.set('bench.yml', 'min-success-rate: 10%\n').set(WORKFLOW, 'on: schedule\n');
    compared = [{ filename: 'src/policy.py' }];
    expect((await reported()).warnings).toEqual([]);
  });

  it('says that it could not look', async () => {
    refused = true;
    expect((await reported()).warnings).toMatchObject([{ code: 'base_rules_unread' }]);
  });
});

describe('frames in a public repository', () => {
  const YES = 'record-public: true\n';
  const asked = (config: string, raw: Record<string, string> = {}, base: string | null = BASE) => {
    writeFileSync(join(checkout, 'bench.yml'), config);
    const { port } = server.address() as AddressInfo;
    const github = {
      client: new GitHubClient({
        token: 't',
        apiUrl: `http://127.0.0.1:${port}`,
        clock: fastClock(1),
        log: new KeptLog(),
        random: () => 0,
      }),
      repository: { owner: 'o', repo: 'r' },
    };
    const given = { config: join(checkout, 'bench.yml'), ...raw };
    const inputs = readInputs(given, readConfigFile(config, 'config file'), { required: [] });
    const verb = { inputs, env: { GITHUB_WORKSPACE: checkout } };
    const ask = (publicRepository: boolean) =>
      mayShowFrames(verb, { publicRepository, baseCommit: base }, github);
    return { inPublic: () => ask(true), inPrivate: () => ask(false) };
  };

  it('are shown only where the config of the base commit says so', async () => {
    atBase.set('bench.yml', YES);
    expect(await asked(YES).inPublic()).toBe(true);
    // A pull request that would turn it on for itself, or for a base without such a file.
    atBase.set('bench.yml', 'suite: libero_spatial\n');
    expect(await asked(YES).inPublic()).toBe(false);
    atBase.clear();
    expect(await asked(YES).inPublic()).toBe(false);
    expect(await asked(YES, {}, null).inPublic()).toBe(true);
  });

  it('stay on the host when the base cannot be read, or the word comes from elsewhere', async () => {
    atBase.set('bench.yml', YES);
    expect(await asked('suite: libero_spatial\n', { 'record-public': 'true' }).inPublic()).toBe(false);
    expect(await asked('suite: libero_spatial\n').inPublic()).toBe(false);
    refused = true;
    expect(await asked(YES).inPublic()).toBe(false);
    expect(await asked('suite: libero_spatial\n').inPrivate()).toBe(true);
  });
});
