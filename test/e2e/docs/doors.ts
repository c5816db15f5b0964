import { spawn } from 'node:child_process';
import { cp, mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { blocksOf } from '../../unit/docs/markdown.ts';
import { ROOT } from '../../unit/meta/source-files.ts';

/** The commands below a heading of the README, as somebody copies them. */
export async function doorCommands(heading: string): Promise<string> {
  const text = await readFile(join(ROOT, 'README.md'), 'utf8');
  const section = text.split(`\n### ${heading}\n`)[1]?.split(/\n##+ /)[0] ?? '';
  const [block] = blocksOf({ path: 'README.md', text: section }).filter(({ language }) => language === 'sh');
  if (block === undefined) throw new Error(`README.md has no commands below ${heading}`);
  return block.text;
}

/** What a fresh clone has of what the commands use. */
export async function freshClone(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'rollout-bench-clone-'));
  const dist = process.env['E2E_DIST'] ?? join(ROOT, 'dist');
  await cp(dist, join(folder, 'dist'), { recursive: true });
  for (const part of ['package.json', 'docs/simulators', 'fixtures/foreign/lerobot-0.3-single'])
    await cp(join(ROOT, part), join(folder, part), { recursive: true });
  return folder;
}

/** Runs a script until its last command has ended, then ends what it left in the background. */
export function runScript(script: string, folder: string): Promise<{ code: number | null; output: string }> {
  return new Promise((resolve, reject) => {
    const env = { PATH: process.env['PATH'] ?? '', HOME: folder };
    const child = spawn('bash', ['-e', '-c', script], { cwd: folder, env, detached: true });
    let output = '';
    const keep = (chunk: Buffer): void => {
      output += chunk.toString('utf8');
    };
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    child.on('error', reject);
    // Not `close`: what runs in the background holds the pipes.
    child.on('exit', (code) => {
      try {
        process.kill(-(child.pid ?? 0), 'SIGTERM');
      } catch {
        // Nothing was left.
      }
      resolve({ code, output });
    });
  });
}
