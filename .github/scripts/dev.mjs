// The inner loop: types, lint and the tests of what is touched, again after each save.   npm run dev [-- --once]
// Touched is what differs from the last commit, later what was saved since all was well. A save during a round starts the
// next one. --once does one round and exits with its result.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, watch } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const WATCHED = ['src', 'test', '.github'];
/** An editor saves a file in several steps. */
const QUIET_MS = 200;

/** Files that differ from the last commit, new ones included. */
function uncommitted() {
  const list = (...args) => spawnSync('git', args, { cwd: ROOT, encoding: 'utf8' }).stdout?.split('\0') ?? [];
  const changed = list('diff', '--name-only', '-z', 'HEAD', '--', ...WATCHED);
  return [...changed, ...list('ls-files', '--others', '--exclude-standard', '-z', '--', ...WATCHED)];
}

const isCode = (path) => /\.(?:m?ts|mjs)$/.test(path) && existsSync(join(ROOT, path));
const node = (script, ...args) => [process.execPath, [join(ROOT, 'node_modules', script), ...args]];
const vitest = (...args) =>
  node('vitest/vitest.mjs', ...args, '--config', '.github/config/vitest.config.ts', '--passWithNoTests');

/** What a round does, each with its command. Unit tests follow the imports; of the slower tiers only what was touched itself runs. */
function steps(files) {
  const typed = files.filter((path) => /^(?:src|test)\/.*\.ts$/.test(path));
  const slow = files.filter((path) => /^test\/(?:contract|e2e)\/.*\.test\.ts$/.test(path));
  return [
    ['types', ['npm', ['run', '-s', 'check:types']]],
    files.length > 0 && [
      'format and lint',
      node('@biomejs/biome/bin/biome', 'check', '--config-path', '.github/config', ...files),
    ],
    typed.length > 0 && [
      'type-aware lint',
      node('oxlint/bin/oxlint', '-c', '.github/config/oxlint.json', '--type-aware', ...typed),
    ],
    files.length > 0 && ['unit tests', vitest('related', '--run', '--project', 'unit', ...files)],
    slow.length > 0 && ['touched tests', vitest('run', '--project', 'contract', '--project', 'e2e', ...slow)],
  ].filter(Boolean);
}

/** @returns whether the command went well; false, too, when the signal ended it */
function perform([command, args], signal) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd: ROOT, stdio: ['ignore', 'inherit', 'inherit'], signal });
    child.on('error', () => resolve(false));
    child.on('close', (code) => resolve(code === 0));
  });
}

/** All steps, also after one that failed: each tells something else. */
async function round(files, signal) {
  const failed = [];
  for (const [name, command] of steps(files)) {
    if (signal.aborted) return false;
    console.log(`\n=== ${name}`);
    if (!(await perform(command, signal))) failed.push(name);
  }
  if (signal.aborted) return false;
  console.log(failed.length === 0 ? '\nAll well.' : `\nNot yet: ${failed.join(', ')}.`);
  return failed.length === 0;
}

const touched = new Set(uncommitted());
const started = () => [...touched].filter(isCode);

if (process.argv.includes('--once')) {
  process.exitCode = (await round(started(), new AbortController().signal)) ? 0 : 1;
} else {
  let current = new AbortController();
  let timer;
  const again = async () => {
    current.abort();
    current = new AbortController();
    const { signal } = current;
    const files = started();
    // What was saved meanwhile is in the set again by the next round.
    if (await round(files, signal)) for (const path of files) touched.delete(path);
    if (!signal.aborted) console.log('Waiting for the next save.');
  };
  for (const folder of WATCHED)
    watch(join(ROOT, folder), { recursive: true }, (_event, name) => {
      if (name === null || name.includes('node_modules') || basename(name).startsWith('.')) return;
      if (!isCode(join(folder, name))) return;
      touched.add(join(folder, name));
      clearTimeout(timer);
      timer = setTimeout(again, QUIET_MS);
    });
  await again();
}
