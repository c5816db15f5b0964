import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runAction } from './action-runner.ts';
import { type InstalledProgram, installProgram, NODES } from './built-program.ts';
import { parseCommandFile, parseCommands } from './workflow-commands.ts';

let program: InstalledProgram;
beforeAll(async () => {
  program = await installProgram();
});
afterAll(() => program.remove());

describe.each(NODES)('the built action without node_modules, on $name', ({ path: node }) => {
  it('annotates every wrong input at once and fails; post then has nothing to do', async () => {
    const { main, post } = await runAction({
      action: program.folder,
      node,
      inputs: { repeats: '2', tasks: '9-0', 'min-success-rate': '90', 'min-sucess-rate': '0.9' },
      settings: { 'queue-window': '0' },
    });
    expect(main.exitCode).toBe(2);
    const errors = main.commands
      .filter((command) => command.name === 'error')
      .map((command) => command.message);
    for (const start of [
      'RB101 input min-sucess-rate: there is no such input. Fix: Did you mean min-success-rate?',
      'RB114 input repeats: is a setting of the config file, and no input of the action. Fix: Take it out of the workflow, and write this line into .github/rollout-bench.yml: repeats: 2',
      'RB102 .github/rollout-bench.yml:1:1 queue-window: ',
      'RB102 input tasks: ',
      'RB102 input min-success-rate: ',
      'RB103 input workspace: ',
    ]) {
      expect(errors.filter((message) => message.startsWith(start))).toHaveLength(1);
    }
    expect(errors).toHaveLength(6);
    expect(main.state).toEqual({});
    expect(post).toMatchObject({ exitCode: 0, output: 'Nothing to clean up.\n', killedBy: null });
  });

  it('masks tokens of its environment before it prints anything else', async () => {
    const { main } = await runAction({
      action: program.folder,
      node,
      env: { GITHUB_TOKEN: 'ghs_0123456789abcdef' },
    });
    expect(main.commands[0]).toEqual({ name: 'add-mask', properties: {}, message: 'ghs_0123456789abcdef' });
    expect(main.output.match(/ghs_0123456789abcdef/g)).toHaveLength(1);
  });
});

describe('the runner used here', () => {
  it('decodes workflow commands', () => {
    expect(parseCommands('plain\n::error file=a%2Cb,line=3::one%0Atwo 100%25\n ::endgroup::\n')).toEqual([
      { name: 'error', properties: { file: 'a,b', line: '3' }, message: 'one\ntwo 100%' },
      { name: 'endgroup', properties: {}, message: '' },
    ]);
  });

  it('reads command files with lines and blocks', () => {
    expect(parseCommandFile('a=1=2\nb<<EOT\nx=y\n\nEOT\nc=\n')).toEqual({ a: '1=2', b: 'x=y\n', c: '' });
    expect(() => parseCommandFile('b<<EOT\nx\n')).toThrow('no end of block b');
  });
});

/** Bytes of a file of dist/ and of everything it loads before its own first line. */
async function loadedAtOnce(file: string, seen = new Set<string>()): Promise<number> {
  if (seen.has(file)) return 0;
  seen.add(file);
  const text = await readFile(file, 'utf8');
  let bytes = Buffer.byteLength(text);
  for (const [, place = ''] of text.matchAll(/\b(?:from|import)\s*"(\.[^"]+\.js)"/g))
    bytes += await loadedAtOnce(join(dirname(file), place), seen);
  return bytes;
}

describe('what a step loads before its first line', () => {
  // Few files, joined: opening one more costs more than twenty kilobytes in a file that is opened anyway.
  it.each([
    ['index.js', 450_000],
    ['post.js', 85_000],
    ['cli.js', 85_000],
  ])('is little for %s: no HTTP client, no use case', async (name, limit) => {
    const bytes = await loadedAtOnce(join(program.folder, 'dist', name));
    expect(bytes).toBeGreaterThan(10_000);
    expect(bytes).toBeLessThan(limit);
  });
});
