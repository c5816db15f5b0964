import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { hashFolder } from '../../src/platform/dist-hash.ts';
import { blocksOf } from '../unit/docs/markdown.ts';
import { ROOT } from '../unit/meta/source-files.ts';
import { type InstalledProgram, installProgram } from './built-program.ts';

const exec = promisify(execFile);
const MAX_BYTES = 6_000_000;
/** npm puts these into every package. */
const ALWAYS = ['LICENSE', 'README.md', 'package.json'];

const packSchema = z.tuple([
  z.looseObject({
    filename: z.string(),
    unpackedSize: z.number(),
    files: z.array(z.looseObject({ path: z.string() })),
  }),
]);

/** The package as `npm pack` makes it, and a home in which nothing of npm's is there yet. */
let program: InstalledProgram;
let home = '';
let pack: z.infer<typeof packSchema>[0];
let tarball = '';
const npmEnv = () => ({ PATH: process.env['PATH'] ?? '', HOME: home, npm_config_update_notifier: 'false' });

beforeAll(async () => {
  program = await installProgram();
  home = await mkdtemp(join(tmpdir(), 'rollout-bench-package-'));
  const { stdout } = await exec('npm', ['pack', program.folder, '--json', '--pack-destination', home], {
    cwd: home,
    env: npmEnv(),
  });
  [pack] = packSchema.parse(JSON.parse(stdout));
  tarball = join(home, pack.filename);
});
afterAll(async () => {
  await program.remove();
  await rm(home, { recursive: true, force: true });
});

/** `npx` without a network: whatever the package wanted beside itself could not be had. */
const npx = (...args: string[]) =>
  exec('npx', ['--yes', '--offline', '--package', tarball, 'rollout-bench', ...args], {
    cwd: home,
    env: npmEnv(),
    maxBuffer: 10_000_000,
  });

describe('the package for a registry', () => {
  it('is the program and nothing else, and small', () => {
    const others = pack.files.map(({ path }) => path).filter((path) => !path.startsWith('dist/'));
    expect(others.filter((path) => !ALWAYS.includes(path))).toEqual([]);
    expect(pack.unpackedSize).toBeLessThanOrEqual(MAX_BYTES);
  });

  it('is the build that runners have, by its hash', async () => {
    await exec('tar', ['-xzf', tarball, '-C', home]);
    expect(await hashFolder(join(home, 'package/dist'))).toBe(await hashFolder(join(program.folder, 'dist')));
  });

  it('runs the demo by npx, and the command that the demo ends with', async () => {
    const { stdout, stderr } = await npx('demo');
    expect(stdout).toContain('PASS');
    // What is on the path of npx alone cannot be copied by its bare name.
    const verify = / {2}check offline +(.+)$/m.exec(stderr)?.[1] ?? '';
    const { stdout: verified } = await exec('sh', ['-c', verify], { cwd: home, env: npmEnv() });
    expect(verified).toMatch(/^Verified/);
  });
  it('is installed by the line of the documented Dockerfile, and judges result files there', async () => {
    const page = { path: 'docs/install.md', text: await readFile(join(ROOT, 'docs/install.md'), 'utf8') };
    const recipe = blocksOf(page).find(({ language }) => language === 'dockerfile')?.text ?? '';
    const [, copied = ''] = /^COPY rollout-bench-\S+\.tgz (\S+)$/m.exec(recipe) ?? [];
    const [, install = ''] = /^RUN (npm .+)$/m.exec(recipe) ?? [];
    expect(install).toContain(copied);
    const prefix = join(home, 'global');
    const env = { ...npmEnv(), npm_config_prefix: prefix };
    await exec('sh', ['-c', install.replaceAll(copied, tarball)], { cwd: home, env });
    const results = join(ROOT, 'fixtures/foreign/lerobot-0.3-single/eval_info.json');
    const installed = join(prefix, 'bin/rollout-bench');
    const { stdout } = await exec(installed, ['report', results, '--min-success-rate', '1%'], { cwd: home });
    expect(stdout).toContain('lerobot: PASS');
  });
});
