import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { gatherInputs } from '../../../src/app/gather-inputs.ts';

describe('a config file that is none', () => {
  it('is refused at once: a folder, a pipe nobody writes to, an endless device', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'rb-config-'));
    const pipe = join(folder, 'pipe');
    execFileSync('mkfifo', [pipe]);
    for (const config of [folder, pipe, '/dev/zero']) {
      await expect(gatherInputs({ workspace: '/w', config })).rejects.toMatchObject({
        exitCode: 2,
        problems: [{ code: 'RB104', value: JSON.stringify(config) }],
      });
    }
    rmSync(folder, { recursive: true });
  });
});
