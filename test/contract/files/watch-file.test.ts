import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type FileWatch, watchFile } from '../../../src/files/watch-file.ts';

let folder: string;
let watches: FileWatch[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rb-watch-'));
  watches = [];
});
afterEach(() => {
  for (const watch of watches) watch.close();
  rmSync(folder, { recursive: true, force: true });
});

function started(path: string, pollMs: number): FileWatch {
  const watch = watchFile(path, { pollMs });
  watches.push(watch);
  return watch;
}

function replace(path: string, text: string): void {
  writeFileSync(`${path}.tmp`, text);
  renameSync(`${path}.tmp`, path);
}

describe('watching a file that is replaced', () => {
  it('reports every rename, long before the next poll', async () => {
    const path = join(folder, 'SESSIONS.md');
    replace(path, '0');
    const watch = started(path, 60_000);
    for (let round = 1; round <= 5; round += 1) {
      replace(path, String(round));
      expect(await watch.next(10_000)).toBe('changed');
    }
    expect(await watch.next(100)).toBe('timeout');
  });

  it('remembers a change that happened between two calls, once', async () => {
    const path = join(folder, 'SESSIONS.md');
    replace(path, 'a');
    const watch = started(path, 60_000);
    replace(path, 'b');
    replace(path, 'c');
    await sleep(200);
    expect(await watch.next(0)).toBe('changed');
    expect(await watch.next(50)).toBe('timeout');
  });

  it('ignores other files of the folder', async () => {
    const path = join(folder, 'SESSIONS.md');
    replace(path, 'a');
    const watch = started(path, 60_000);
    await sleep(100);
    writeFileSync(join(folder, 'LOG.md'), 'x');
    expect(await watch.next(200)).toBe('timeout');
  });

  it('finds the file again when its folder was deleted and made anew', async () => {
    const inner = join(folder, 'workspace');
    const path = join(inner, 'SESSIONS.md');
    mkdirSync(inner);
    replace(path, 'a');
    const watch = started(path, 50);
    await sleep(150);
    rmSync(inner, { recursive: true });
    expect(await watch.next(10_000)).toBe('changed');
    mkdirSync(inner);
    replace(path, 'b');
    expect(await watch.next(10_000)).toBe('changed');
    await sleep(200);
    await watch.next(0);
    replace(path, 'c');
    expect(await watch.next(10_000)).toBe('changed');
  });

  it('waits for a file and a folder that do not exist yet', async () => {
    const path = join(folder, 'later', 'SESSIONS.md');
    const watch = started(path, 50);
    await sleep(100);
    mkdirSync(join(folder, 'later'));
    replace(path, 'a');
    expect(await watch.next(10_000)).toBe('changed');
  });

  it('ends a wait on close and on a signal', async () => {
    const watch = started(join(folder, 'SESSIONS.md'), 60_000);
    const stop = new AbortController();
    const aborted = watch.next(60_000, stop.signal);
    stop.abort();
    expect(await aborted).toBe('timeout');
    const waiting = watch.next(60_000);
    watch.close();
    expect(await waiting).toBe('closed');
    expect(await watch.next(60_000)).toBe('closed');
  });

  it('calls back', async () => {
    const path = join(folder, 'SESSIONS.md');
    replace(path, 'a');
    const called = new Promise<void>((resolve) => {
      watches.push(watchFile(path, { onChange: resolve }));
    });
    replace(path, 'b');
    await called;
  });
});
