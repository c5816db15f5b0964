import { execFile } from 'node:child_process';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { type InstalledProgram, installProgram, NODES, runCli } from './built-program.ts';

let program: InstalledProgram;
beforeAll(async () => {
  program = await installProgram();
});
afterAll(() => program.remove());

describe.each(NODES)('the built command line without node_modules, on $name', ({ path: node }) => {
  const run = (...args: string[]) => runCli({ program, node, args });

  it('prints the version of package.json', async () => {
    const manifest = z
      .object({ version: z.string() })
      .parse(JSON.parse(await readFile(join(program.folder, 'package.json'), 'utf8')));
    expect(await run('--version')).toEqual({ exitCode: 0, stdout: `${manifest.version}\n`, stderr: '' });
  });

  it('explains itself and each verb, with examples', async () => {
    const help = await run('--help');
    expect(help).toMatchObject({ exitCode: 0, stderr: '' });
    const verbs = [...help.stdout.matchAll(/^ {2}([a-z]+) {2}/gm)].map((match) => match[1] ?? '');
    expect(verbs).toContain('doctor');
    for (const verb of verbs) {
      const { exitCode, stdout } = await run(verb, '--help');
      expect(exitCode).toBe(0);
      expect(stdout).toMatch(
        new RegExp(`Usage: rollout-bench ${verb}\\b.*Examples?:\\n {2}rollout-bench ${verb}`, 's'),
      );
    }
  });

  it('refuses an unknown verb and names the nearest one', async () => {
    const { exitCode, stdout, stderr } = await run('docter');
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toMatch(/^error: RB110 .*"docter".*doctor/);
  });

  it('lists all problems of a command line at once', async () => {
    const { exitCode, stderr } = await run('plan', 'extra', '--tsks', '1', '--json=yes');
    expect(exitCode).toBe(2);
    expect(stderr.split('\n').filter((line) => /RB11[123]/.test(line))).toHaveLength(3);
  });

  it('reads a config file and names the line of a wrong value', async () => {
    await writeFile(join(program.folder, 'bench.yml'), 'suite: libero_spatial\nrepeats: many\n');
    const { exitCode, stderr } = await run('plan', '--workspace', 'nowhere', '--config', 'bench.yml');
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/RB102 bench\.yml:2:1 repeats/);
  });

  it('reports a config file that is not there together with the other problems', async () => {
    const { exitCode, stderr } = await run('plan', '--config', 'missing.yml', '--repeats', '0');
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/RB104 input config.*missing\.yml/);
    expect(stderr).toMatch(/RB102 input repeats/);
    expect(stderr).not.toMatch(/RB103/);
  });
});

describe('the command line as an executable', () => {
  it('starts by itself and ends quietly when its reader goes away', async () => {
    const file = join(program.folder, 'dist', 'cli.js');
    expect((await stat(file)).mode & 0o111).toBe(0o111);
    const shell = promisify(execFile);
    const { stdout, stderr } = await shell('sh', ['-c', `"${file}" --help | head -n 1`]);
    expect({ stdout, stderr }).toEqual({
      stdout: 'Benchmark robot policies on a simulation host.\n',
      stderr: '',
    });
  });
});
