import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { Ask } from '../../../src/app/init/answers.ts';
import { actionReference } from '../../../src/app/setup/action-reference.ts';
import { answersFor, doorOf } from '../../../src/app/setup/ask-all.ts';
import { writeFiles } from '../../../src/app/setup/write-files.ts';
import { setup } from '../../../src/app/setup.ts';
import { RbError } from '../../../src/errors/rb-error.ts';
import { startTargetServer } from '../../../src/host/target-server.ts';
import { called } from './verb-context.ts';

const CONFIG = '.github/rollout-bench.yml';
const PULL = '.github/workflows/rollout-bench-pull-request.yml';
let repository: string;
beforeEach(() => {
  repository = mkdtempSync(join(tmpdir(), 'rb-setup-'));
});
afterEach(() => rmSync(repository, { recursive: true, force: true }));

const line = (...more: readonly string[]) =>
  called(['setup', '--repository', repository, ...more], { PATH: process.env['PATH'] });
const read = (name: string): string => readFileSync(join(repository, name), 'utf8');

async function codesOf(work: Promise<unknown>): Promise<string[]> {
  const error = await work.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (!(error instanceof RbError)) throw new Error('no RbError was thrown', { cause: error });
  return error.problems.map(({ code, where }) => `${code} ${where}`);
}

describe('setup', () => {
  it('writes a gate over result files with nothing but --yes, and says how to see its verdict', async () => {
    const { verb, printed } = await line('--yes', '--have', 'results', '--action', 'acme/bench@v1');
    expect(await setup(verb)).toBe(0);
    expect(read(CONFIG)).toContain('min-success-rate: 60%');
    expect(read(PULL)).toContain('uses: acme/bench@v1');
    expect(printed()).toContain('report outputs/**/eval_info.json --planned 10x50');
  });

  it('makes the workspace of a simulator too, and takes its suite into the config file', async () => {
    const target = await startTargetServer({ rule: { kind: 'stub' } });
    try {
      const workspace = join(repository, 'bench');
      const given = ['--yes', '--json', '--have', 'simulator', '--workspace', workspace];
      const { verb, printed } = await line(
        ...given,
        '--target',
        target.endpoint,
        '--policy',
        'dummy://local',
      );
      expect(await setup(verb), printed()).toBe(0);
      expect(read(CONFIG)).toContain('suite: "libero_spatial"');
      expect(existsSync(join(workspace, 'TARGETS.md'))).toBe(true);
      const shape = z.object({
        doctor: z.object({ problems: z.array(z.unknown()) }),
        next: z.array(z.string()).min(3),
      });
      shape.parse(JSON.parse(printed()));
    } finally {
      await target.kill();
    }
  });

  it('waits for a simulator that was started a moment ago', async () => {
    const first = await startTargetServer({ rule: { kind: 'stub' } });
    await first.kill();
    const given = ['--yes', '--have', 'simulator', '--workspace', join(repository, 'bench')];
    const { verb } = await line(...given, '--target', first.endpoint, '--policy', 'dummy://local');
    const started: Awaited<ReturnType<typeof startTargetServer>>[] = [];
    const port = Number(first.endpoint.split(':').at(-1));
    const clock = {
      now: () => 0,
      sleep: async () => {
        if (started.length > 0) return;
        started.push(await startTargetServer({ rule: { kind: 'stub' }, port }));
      },
    };
    try {
      expect(await setup({ ...verb, clock: { ...clock, now: () => verb.clock.now() } })).toBe(0);
      expect(started).toHaveLength(1);
    } finally {
      for (const target of started) await target.kill();
    }
  });

  it('leaves nothing when the simulator does not answer', async () => {
    const given = ['--yes', '--have', 'simulator', '--workspace', join(repository, 'bench')];
    const { verb } = await line(...given, '--target', 'targetws://127.0.0.1:1', '--policy', 'dummy://local');
    let now = 0;
    const clock = {
      now: () => now,
      sleep: async (ms: number) => {
        now += ms * 30;
      },
    };
    expect(await codesOf(setup({ ...verb, clock }))).toEqual([expect.stringContaining('RB320')]);
    expect(readdirSync(repository)).toEqual([]);
  });

  it('writes for a host that is elsewhere, with the release workflow when asked', async () => {
    const { verb } = await line('--yes', '--have', 'host', '--workspace', '/nowhere/at/all', '--release');
    expect(await setup(verb)).toBe(0);
    expect(readdirSync(join(repository, '.github/workflows')).sort()).toEqual([
      'rollout-bench-nightly.yml',
      'rollout-bench-pull-request.yml',
      'rollout-bench-release.yml',
    ]);
  });

  it('writes over nothing without a word, and names all that is there', async () => {
    mkdirSync(join(repository, '.github/workflows'), { recursive: true });
    writeFileSync(join(repository, CONFIG), 'mine');
    writeFileSync(join(repository, PULL), 'mine too');
    const given = ['--yes', '--have', 'results'];
    expect(await codesOf(setup((await line(...given)).verb))).toEqual([
      `RB996 ${join(repository, CONFIG)}`,
      `RB996 ${join(repository, PULL)}`,
    ]);
    expect([read(CONFIG), read(PULL)]).toEqual(['mine', 'mine too']);
    expect(await setup((await line(...given, '--replace')).verb)).toBe(0);
    expect(read(CONFIG)).toContain('suite:');
  });

  it('follows no link out of the repository', async () => {
    const elsewhere = mkdtempSync(join(tmpdir(), 'rb-setup-'));
    try {
      symlinkSync(elsewhere, join(repository, '.github'));
      const { verb } = await line('--yes', '--have', 'results', '--replace');
      expect(await codesOf(setup(verb))).toEqual([`RB997 ${join(repository, '.github')}`]);
      expect(readdirSync(elsewhere)).toEqual([]);
    } finally {
      rmSync(elsewhere, { recursive: true, force: true });
    }
  });

  it('says in one message every answer that nobody can give', async () => {
    const { verb } = await line('--json', '--have', 'host');
    expect(await codesOf(setup(verb))).toEqual([
      'RB995 option --workspace',
      'RB995 option --suite',
      'RB995 option --policy-endpoint',
      'RB995 option --policy-command',
      'RB995 option --floor',
    ]);
    expect(await codesOf(setup((await line('--json')).verb))).toEqual(['RB995 option --have']);
    const wrong = await line('--yes', '--have', 'results', '--tool', 'lerobt', '--floor', '60%');
    expect(await codesOf(setup(wrong.verb))).toEqual(['RB995 option --tool']);
    const floor = await line('--yes', '--have', 'results', '--floor', 'high');
    expect(await codesOf(setup(floor.verb))).toEqual([expect.stringContaining('RB102')]);
    expect(readdirSync(repository)).toEqual([]);
  });
});

describe('what setup asks', () => {
  it('follows from the answers so far, and an empty one takes what is offered', async () => {
    const asked: string[] = [];
    const ask: Ask = async (question, offered) => {
      asked.push(question);
      return question.startsWith('Evaluation tool')
        ? 'other'
        : question.startsWith('Command')
          ? 'make eval'
          : offered;
    };
    const asking = { ask, yes: false };
    expect(await doorOf(undefined, asking)).toBe('results');
    const answers = await answersFor('results', { suite: 'pusht' }, asking);
    expect(answers).toMatchObject({
      tool: 'other',
      command: 'make eval',
      results: 'results.csv',
      suite: 'pusht',
    });
    expect(asked.some((question) => question.startsWith('Suite'))).toBe(false);
  });
});

describe('the files of a gate', () => {
  it('are taken back, and what was there is put back, when one cannot be written', async () => {
    writeFileSync(join(repository, 'a.yml'), 'before', { mode: 0o640 });
    mkdirSync(join(repository, 'c.yml'));
    const files = ['a.yml', 'b.yml', 'c.yml'].map((name) => ({ name, content: 'after' }));
    expect(await codesOf(writeFiles(repository, files))).toHaveLength(1);
    expect(read('a.yml')).toBe('before');
    expect(readdirSync(repository).sort()).toEqual(['a.yml', 'c.yml']);
  });
});

describe('the action that workflows name', () => {
  it.each([
    ['[remote "origin"]\n\turl = https://github.com/acme/bench.git\n', 'acme/bench@v1'],
    ['[remote "origin"]\n\turl = git@github.com:acme/bench\n', 'acme/bench@v1'],
    ['[remote "origin"]\n\turl = https://example.com/acme/bench.git\n', 'OWNER/rollout-bench@v1'],
  ])('%j: %s', async (config, expected) => {
    mkdirSync(join(repository, '.git'));
    writeFileSync(join(repository, '.git/config'), config);
    expect(await actionReference(join(repository, 'dist/cli.js'))).toBe(expected);
  });
});
