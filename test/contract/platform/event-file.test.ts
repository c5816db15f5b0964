import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs/promises';
import * as os from 'node:os';
import * as path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readEvent } from '../../../src/job/read-event.ts';

let folder = '';
beforeEach(async () => {
  folder = await fs.mkdtemp(path.join(os.tmpdir(), 'event-file-'));
});
afterEach(() => fs.rm(folder, { recursive: true }));

describe('the file of an event', () => {
  it('is read, also behind a link', async () => {
    const file = path.join(folder, 'event.json');
    await fs.writeFile(file, '{"number":7}');
    await fs.symlink(file, path.join(folder, 'link.json'));
    expect(await readEvent({ GITHUB_EVENT_PATH: file })).toEqual({ number: 7 });
    expect(await readEvent({ GITHUB_EVENT_PATH: path.join(folder, 'link.json') })).toEqual({ number: 7 });
  });

  it('is none when it is a pipe, which would be waited for for ever', async () => {
    const pipe = path.join(folder, 'pipe');
    execFileSync('mkfifo', [pipe]);
    expect(await readEvent({ GITHUB_EVENT_PATH: pipe })).toBeUndefined();
  });
});
