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
import { type Ask, answersOf } from '../../../src/app/init/answers.ts';
import { writeNew } from '../../../src/app/init/write-new.ts';
import { init } from '../../../src/app/init.ts';
import { RbError } from '../../../src/errors/rb-error.ts';
import { type PolicyServer, startPolicyServer } from '../../../src/host/policy-server.ts';
import { startTargetServer, type TargetServer } from '../../../src/host/target-server.ts';
import { called } from './verb-context.ts';

let folder: string;
let target: TargetServer;
let policy: PolicyServer;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'rb-init-'));
  target = await startTargetServer({ rule: { kind: 'stub' } });
  policy = await startPolicyServer();
});
afterEach(async () => {
  await Promise.all([target.kill(), policy.kill()]);
  rmSync(folder, { recursive: true, force: true });
});

const line = (...more: readonly string[]) => [
  'init',
  '--workspace',
  join(folder, 'w'),
  '--target',
  target.endpoint,
  '--policy',
  policy.endpoint,
  ...more,
];

async function codesOf(work: Promise<unknown>): Promise<string[]> {
  const error = await work.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (!(error instanceof RbError)) throw new Error('no RbError was thrown', { cause: error });
  return error.problems.map(({ code, where }) => `${code} ${where}`);
}

describe('init', () => {
  it('makes a workspace in which doctor finds nothing, and says what comes next', async () => {
    const { verb, printed } = await called(line(), { PATH: process.env['PATH'] });
    expect(await init(verb)).toBe(0);
    expect(printed()).toContain('Nothing was found that would stop or mislead a benchmark.');
    expect(printed()).toContain(`host --workspace ${join(folder, 'w')}\n`);
    expect(readFileSync(join(folder, 'w', 'TARGETS.md'), 'utf8')).toContain(target.endpoint);
    expect(target.requests).toEqual(target.requests.map(() => 'target.describe'));
  });

  it('prints one JSON document when asked', async () => {
    const { verb, printed } = await called(line('--json'), { PATH: process.env['PATH'] });
    expect(await init(verb)).toBe(0);
    const shape = z.object({
      suite: z.literal('libero_spatial'),
      documents: z.array(z.string()).length(4),
      next: z.array(z.string()).length(2),
      doctor: z.object({ problems: z.array(z.unknown()).length(0) }),
    });
    shape.parse(JSON.parse(printed()));
  });

  it.each(['TARGETS.md', 'SKILLRUNTIME.md', 'SESSIONS.md'])('never writes over a %s', async (name) => {
    mkdirSync(join(folder, 'w'));
    writeFileSync(join(folder, 'w', name), 'somebody else');
    const { verb } = await called(line(), { PATH: process.env['PATH'] });
    expect(await codesOf(init(verb))).toEqual([`RB981 ${join(folder, 'w', name)}`]);
    expect(readdirSync(join(folder, 'w'))).toEqual([name]);
    expect(target.requests).toEqual([]);
  });

  it('takes a link that leads nowhere for a document too', async () => {
    mkdirSync(join(folder, 'w'));
    symlinkSync('/nowhere', join(folder, 'w', 'TARGETS.md'));
    expect(await codesOf(init((await called(line(), { PATH: process.env['PATH'] })).verb))).toEqual([
      `RB981 ${join(folder, 'w', 'TARGETS.md')}`,
    ]);
  });

  it('writes nothing when the target cannot be asked, and with a kit says how to start it', async () => {
    await target.kill();
    const { verb } = await called(line('--kit', 'libero'));
    const refused = await init(verb).catch((error: unknown) => error);
    expect(String(refused)).toContain('docs/simulators/libero_server.py');
    expect(existsSync(join(folder, 'w'))).toBe(false);
  });

  it('says in one message everything that is missing or wrong', async () => {
    const { verb } = await called(['init', '--target', 'http://x', '--kit', 'metawold', '--json']);
    expect(await codesOf(init(verb))).toEqual([
      'RB980 option --workspace',
      'RB309 option --target',
      'RB984 option --kit',
    ]);
  });

  it('asks for what was not given, and takes what it offers for an empty answer', async () => {
    const asked: string[] = [];
    const ask: Ask = async (question, offered) => {
      asked.push(question);
      return offered;
    };
    expect(await answersOf({ target: 'targetws://sim:9' }, ask)).toEqual({
      workspace: 'workspace',
      target: 'targetws://sim:9',
      policy: 'openpi://127.0.0.1:8000',
      kit: null,
    });
    expect(asked).toHaveLength(2);
  });

  it('shows no password of an endpoint', async () => {
    const refused = await answersOf(
      { workspace: 'w', target: 'targetws://me:secret@sim:9', policy: 'x' },
      null,
    ).catch(String);
    expect(refused).toContain('RB309');
    expect(refused).not.toContain('secret');
  });
});

describe('new documents', () => {
  it('are all taken away again when one cannot be written', async () => {
    const place = join(folder, 'half');
    mkdirSync(join(place, 'B.md'), { recursive: true });
    const documents = ['A.md', 'B.md', 'C.md'].map((name) => ({ name, content: 'new' }));
    expect(await codesOf(writeNew(place, documents))).toEqual([`RB981 ${join(place, 'B.md')}`]);
    expect(readdirSync(place)).toEqual(['B.md']);
  });

  it('name the reason of the system where nothing can be written', async () => {
    writeFileSync(join(folder, 'file'), '');
    const work = writeNew(join(folder, 'file'), [{ name: 'A.md', content: 'new' }]);
    expect(await codesOf(work)).toEqual([`RB982 ${join(folder, 'file')}`]);
  });
});
