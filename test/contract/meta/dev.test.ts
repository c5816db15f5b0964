import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const SCRIPT = fileURLToPath(new URL('../../../.github/scripts/dev.mjs', import.meta.url));
const TOOLS = ['vitest/vitest.mjs', '@biomejs/biome/bin/biome', 'oxlint/bin/oxlint'];

let root = '';
let loop: ChildProcess | null = null;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'dev-'));
  put('package.json', JSON.stringify({ scripts: { 'check:types': 'node types.cjs' } }));
  put('types.cjs', standIn('types'));
  for (const tool of TOOLS) put(`node_modules/${tool}`, standIn(tool.split('/').at(-1) ?? ''));
  put('node_modules/package.json', '{"type":"commonjs"}');
  put('.gitignore', 'node_modules\ncalls.txt\n');
  put('src/a.ts', '');
  put('test/contract/a.test.ts', '');
  mkdirSync(join(root, '.github/scripts'), { recursive: true });
  cpSync(SCRIPT, join(root, '.github/scripts/dev.mjs'));
  git('init', '--quiet');
  git('add', '.');
  git('-c', 'user.name=a', '-c', 'user.email=a@b.invalid', 'commit', '--quiet', '--message', 'a');
});
afterEach(() => {
  loop?.kill();
  loop = null;
  rmSync(root, { recursive: true, force: true });
});

function put(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

/** A tool that notes what it was called with, and fails when one of the files says so. */
function standIn(name: string): string {
  const load = name.endsWith('.mjs') ? "import fs from 'node:fs';" : "const fs = require('node:fs');";
  return `${load}
const files = process.argv.slice(2).filter((word) => /\\.ts$/.test(word) && !word.startsWith('.github/config'));
fs.appendFileSync('calls.txt', ['${name.replace('.mjs', '')}', ...files].join(' ') + '\\n');
process.exit(files.some((file) => fs.readFileSync(file, 'utf8').includes('broken')) ? 1 : 0);`;
}

function git(...args: string[]): void {
  const { status, stderr } = spawnSync('git', args, { cwd: root, encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
}

function once() {
  const { status, stdout } = spawnSync(process.execPath, ['.github/scripts/dev.mjs', '--once'], {
    cwd: root,
    encoding: 'utf8',
  });
  return { status, last: stdout.trimEnd().split('\n').at(-1), calls: calls() };
}

const calls = (): readonly string[] => readFileSync(join(root, 'calls.txt'), 'utf8').trimEnd().split('\n');

describe('npm run dev', () => {
  it('checks types alone where nothing is touched', () => {
    expect(once()).toEqual({ status: 0, last: 'All well.', calls: ['types'] });
  });

  it('lints what is touched, and runs the tests of it; a slow test where it was touched itself', () => {
    put('src/a.ts', 'changed');
    put('test/unit/new.test.ts', '');
    put('test/contract/a.test.ts', 'changed');
    const all = 'src/a.ts test/contract/a.test.ts test/unit/new.test.ts';
    expect(once().calls).toEqual([
      'types',
      `biome ${all}`,
      `oxlint ${all}`,
      `vitest ${all}`,
      'vitest test/contract/a.test.ts',
    ]);
  });

  it('does the rest, too, when something fails, and says what', () => {
    put('src/a.ts', 'broken');
    const { status, last, calls: made } = once();
    expect({ status, last }).toEqual({
      status: 1,
      last: 'Not yet: format and lint, type-aware lint, unit tests.',
    });
    expect(made).toHaveLength(4);
  });

  it('begins again with what is saved', async () => {
    const started = spawn(process.execPath, ['.github/scripts/dev.mjs'], { cwd: root, stdio: 'pipe' });
    loop = started;
    const waits = heard(started, 'Waiting for the next save.');
    await waits();
    expect(calls()).toEqual(['types']);
    put('src/a.ts', 'saved');
    await waits();
    // An event that comes late makes one more round of the same.
    const made = new Set(calls().slice(1));
    expect([...made]).toEqual(['types', 'biome src/a.ts', 'oxlint src/a.ts', 'vitest src/a.ts']);
  });
});

/** Each call waits until a process has printed the line once more. */
function heard(process: ReturnType<typeof spawn>, line: string): () => Promise<void> {
  let text = '';
  let from = 0;
  let wake = (): void => undefined;
  process.stdout?.on('data', (chunk: Buffer) => {
    text += chunk.toString();
    wake();
  });
  return async () => {
    while (text.indexOf(line, from) < 0) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
    from = text.indexOf(line, from) + line.length;
  };
}
