import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runnersHere } from '../../../src/platform/runner-facts.ts';

/** As the archive of a runner has it, cut to the parts that could be taken for its version. */
const MANIFEST = {
  runtimeTarget: { name: '.NETCoreApp,Version=v8.0/linux-x64' },
  libraries: { 'Azure.Storage.Blobs/12.25.0': {}, 'Runner.Listener/2.336.0': {}, 'Sdk/1.2.3': {} },
};

describe.runIf(process.platform === 'linux')('runners of this machine', () => {
  it('are found by their processes, and tell version and age by their files', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'runner-age-'));
    const bin = join(folder, 'bin.2.336.0');
    mkdirSync(bin);
    const manifest = join(bin, 'Runner.Listener.deps.json');
    writeFileSync(manifest, JSON.stringify(MANIFEST));
    const built = Date.UTC(2026, 6, 20);
    utimesSync(manifest, built / 1000, built / 1000);
    copyFileSync('/bin/bash', join(bin, 'Runner.Listener'));
    const child = spawn(join(bin, 'Runner.Listener'), ['-c', 'echo up; read line'], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const ended = once(child, 'exit');
    try {
      await once(child.stdout, 'data');
      expect(await runnersHere()).toContainEqual({ version: '2.336.0', builtMs: built });
    } finally {
      child.stdin.end();
      await ended;
      rmSync(folder, { recursive: true });
    }
    expect(await runnersHere()).not.toContainEqual({ version: '2.336.0', builtMs: built });
  });
});
