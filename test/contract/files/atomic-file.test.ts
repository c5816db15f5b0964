import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RbError } from '../../../src/errors/rb-error.ts';
import {
  readCapped,
  readTextCapped,
  replaceFile,
  replacementProblems,
  resolveInside,
} from '../../../src/files/atomic-file.ts';

let folder: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'rb-file-')));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function codeOf(promise: Promise<unknown>): Promise<string> {
  const error = await promise.then(
    () => 'resolved',
    (reason: unknown) => reason,
  );
  return error instanceof RbError ? (error.problems[0]?.code ?? '') : String(error);
}

describe('replacing a file', () => {
  it('keeps the mode and leaves no temporary file', async () => {
    const path = join(folder, 'SESSIONS.md');
    writeFileSync(path, 'old');
    chmodSync(path, 0o640);
    const before = statSync(path).ino;
    expect(await replaceFile(path, 'new')).toBe(true);
    expect(readFileSync(path, 'utf8')).toBe('new');
    expect(statSync(path).mode & 0o777).toBe(0o640);
    expect(statSync(path).ino).not.toBe(before);
    expect(readdirSync(folder)).toEqual(['SESSIONS.md']);
  });

  it('leaves the file when it is not confirmed, or when asking fails', async () => {
    const path = join(folder, 'TARGETS.md');
    writeFileSync(path, 'old');
    expect(await replaceFile(path, 'new', { confirm: () => false })).toBe(false);
    const failing = replaceFile(path, 'new', {
      confirm: () => {
        throw new Error('changed meanwhile');
      },
    });
    await expect(failing).rejects.toThrow('changed meanwhile');
    expect(readFileSync(path, 'utf8')).toBe('old');
    expect(readdirSync(folder)).toEqual(['TARGETS.md']);
  });

  it('makes a new file only when told its mode', async () => {
    const path = join(folder, 'new.yaml');
    expect(await codeOf(replaceFile(path, 'x'))).toBe('RB219');
    await replaceFile(path, 'x', { createMode: 0o600 });
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('refuses links and folders', async () => {
    writeFileSync(join(folder, 'real'), 'old');
    symlinkSync(join(folder, 'real'), join(folder, 'link'));
    mkdirSync(join(folder, 'dir'));
    expect(await codeOf(replaceFile(join(folder, 'link'), 'x'))).toBe('RB213');
    expect(await codeOf(replaceFile(join(folder, 'dir'), 'x'))).toBe('RB213');
    expect(lstatSync(join(folder, 'link')).isSymbolicLink()).toBe(true);
    expect(readFileSync(join(folder, 'real'), 'utf8')).toBe('old');
    expect((await replacementProblems(join(folder, 'link')))[0]?.code).toBe('RB213');
    expect(await replacementProblems(join(folder, 'real'))).toEqual([]);
  });
});

describe('reading with a limit', () => {
  it('reads up to the limit and refuses more', async () => {
    const path = join(folder, 'a');
    writeFileSync(path, 'x'.repeat(100));
    expect((await readCapped(path, 100)).length).toBe(100);
    expect(await codeOf(readCapped(path, 99))).toBe('RB214');
  });

  it('refuses links, folders, missing files and other encodings', async () => {
    writeFileSync(join(folder, 'latin'), Buffer.from([0x61, 0xe9]));
    symlinkSync(join(folder, 'latin'), join(folder, 'link'));
    expect(await codeOf(readCapped(join(folder, 'link'), 10))).toBe('RB213');
    expect(await codeOf(readCapped(folder, 10))).toBe('RB213');
    expect(await codeOf(readCapped(join(folder, 'missing'), 10))).toBe('RB219');
    expect(await codeOf(readTextCapped(join(folder, 'latin'), 10))).toBe('RB203');
  });
});

describe('paths inside the workspace', () => {
  it('are resolved, existing or not', async () => {
    mkdirSync(join(folder, 'configs'));
    expect(await resolveInside(folder, 'configs/a/b.yaml')).toBe(join(folder, 'configs/a/b.yaml'));
    expect(await resolveInside(folder, join(folder, 'configs/c.yaml'))).toBe(join(folder, 'configs/c.yaml'));
    expect(await resolveInside(folder, 'configs/../configs/x')).toBe(join(folder, 'configs/x'));
  });

  it('may be reached through a workspace that is itself a link', async () => {
    mkdirSync(join(folder, 'real'));
    symlinkSync(join(folder, 'real'), join(folder, 'alias'));
    expect(await resolveInside(join(folder, 'alias'), 'x')).toBe(join(folder, 'real/x'));
    expect(await resolveInside(join(folder, 'alias'), join(folder, 'alias/x'))).toBe(join(folder, 'real/x'));
  });

  it.each(['../x', 'a/../../x', '/etc/passwd', 'a\0b', '..'])('refuses %j', async (path) => {
    expect(await codeOf(resolveInside(folder, path))).toBe('RB216');
  });

  it('refuses a link on the way or at the end', async () => {
    symlinkSync('/etc', join(folder, 'etc'));
    expect(await codeOf(resolveInside(folder, 'etc/passwd'))).toBe('RB213');
    expect(await codeOf(resolveInside(folder, 'etc'))).toBe('RB213');
    expect(await codeOf(resolveInside(join(folder, 'missing'), 'x'))).toBe('RB231');
  });
});
