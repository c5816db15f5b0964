import { execFile } from 'node:child_process';
import * as fs from 'node:fs/promises';
import * as os from 'node:os';
import * as path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, describe, expect, it } from 'vitest';
import { readJournal } from '../../../src/journal/journal.ts';
import { buildChild } from '../queue/child-process.ts';

const ENTRY = fileURLToPath(new URL('full-journal.ts', import.meta.url));
const folders: string[] = [];
afterEach(async () => {
  for (const folder of folders.splice(0)) await fs.rm(folder, { recursive: true });
});

describe('a journal that cannot grow', () => {
  it('says so, stays whole, and takes nothing more', async () => {
    const folder = await fs.mkdtemp(path.join(os.tmpdir(), 'rb-journal-'));
    folders.push(folder);
    const child = await buildChild(ENTRY);
    // A limit on the size of files ends a write in the middle, as a full disk does. 8 blocks of 512 or 1024 bytes.
    const command = 'ulimit -f 8; exec "$0" "$1" "$2"';
    const { stdout } = await promisify(execFile)('sh', ['-c', command, process.execPath, child.file, folder]);
    await child.remove();
    const refusals: unknown = JSON.parse(stdout);
    expect(refusals).toHaveLength(2);
    expect(String(refusals)).toContain('RB219');
    const { records, tornBytes } = await readJournal(folder);
    expect(records.length).toBeGreaterThan(3);
    expect(tornBytes).toBe(0);
  });
});
