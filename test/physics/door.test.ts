import { rm, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { doorCommands, freshClone, runScript } from '../e2e/docs/doors.ts';
import { PYTHON } from './processes.ts';

describe.skipIf(PYTHON === undefined)('a simulator', () => {
  it('the commands of the README end in a verdict, with the packages that they install in place', async () => {
    const clone = await freshClone();
    try {
      // The virtual environment of this tier stands for the one that the first command makes.
      await symlink(dirname(dirname(PYTHON ?? '')), join(clone, 'mw'));
      const [install = '', ...commands] = (await doorCommands('A simulator')).split('\n');
      expect(install).toContain('pip install metaworld==');
      const { code, output } = await runScript(commands.join('\n'), clone);
      expect(code, output).toBe(0);
      expect(output).toContain('metaworld_mt10: PASS');
    } finally {
      await rm(clone, { recursive: true, force: true });
    }
  });
});
