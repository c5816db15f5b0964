import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Host, LIBERO_TARGET_ID, startHost } from '../../src/host/host.ts';
import { type InstalledProgram, installProgram, runCli } from './built-program.ts';

/** Text that only the code of a library has. */
const LIBRARIES = {
  yaml: 'YAMLParseError',
  'js-yaml': 'YAMLException',
  mustache: 'Unclosed tag at',
  '@stdlib': 'node_modules/@stdlib/',
  'tar-stream': 'Invalid tar header',
  github: '@octokit',
} as const;

let program: InstalledProgram;
let host: Host;
beforeAll(async () => {
  program = await installProgram();
  host = await startHost({ rule: { kind: 'stub' }, startWatchdog: false });
});
afterAll(async () => {
  await host.stop();
  await program.remove();
});

/** Files of dist/ that one command loads, by the engine's own account. */
async function loadedBy(args: readonly string[]): Promise<readonly string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'rb-loaded-'));
  try {
    const env = { NODE_V8_COVERAGE: folder };
    const done = await runCli({ program, node: process.execPath, args, env });
    expect(done.exitCode, done.stderr).toBe(0);
    const scripts = readdirSync(folder).flatMap((name) => urlsIn(join(folder, name)));
    const dist = join(program.folder, 'dist');
    return scripts.map((url) => fileURLToPath(url)).filter((file) => file.startsWith(dist));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function urlsIn(file: string): string[] {
  const { result }: { result: readonly { readonly url: string }[] } = JSON.parse(readFileSync(file, 'utf8'));
  return result.map(({ url }) => url).filter((url) => url.startsWith('file:'));
}

describe('what a verb loads on a healthy host', () => {
  it.each([
    ['doctor', { files: 30, bytes: 740_000 }, []],
    ['status', { files: 20, bytes: 500_000 }, []],
    ['plan', { files: 40, bytes: 1_100_000 }, ['js-yaml', '@stdlib']],
  ] as const)('is little for %s, and no library that it does not use', async (verb, most, needed) => {
    const workspace = ['--workspace', host.workspace];
    const pair = ['--target', LIBERO_TARGET_ID, '--suite', 'libero_spatial'];
    const policy = ['--policy-endpoint', host.policyEndpoint];
    const files = await loadedBy([verb, ...workspace, ...(verb === 'status' ? [] : [...pair, ...policy])]);
    const text = files.map((file) => readFileSync(file, 'utf8')).join('\n');
    const found = Object.entries(LIBRARIES).filter(([, mark]) => text.includes(mark));
    expect(found.map(([name]) => name)).toEqual(needed);
    expect(Buffer.byteLength(text)).toBeLessThan(most.bytes);
    expect(files.length).toBeLessThan(most.files);
  });
});
