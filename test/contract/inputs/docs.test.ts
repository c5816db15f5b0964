import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { INPUT_NAMES, inputRow } from '../../../src/inputs/input-table.ts';
import { OUTPUT_TABLE } from '../../../src/inputs/outputs.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));

describe('generated documents', () => {
  it('are what the tables say', () => {
    const stale = () =>
      execFileSync(process.execPath, ['.github/scripts/docs.mjs', '--check'], { cwd: root, stdio: 'pipe' });
    expect(stale).not.toThrow();
  });

  it('declare the inputs and outputs of the tables, and no default that would win over the config file', () => {
    const action = parse(readFileSync(`${root}/action.yml`, 'utf8'));
    expect(Object.keys(action.inputs)).toEqual(INPUT_NAMES);
    expect(Object.keys(action.outputs)).toEqual(Object.keys(OUTPUT_TABLE));
    const defaults = INPUT_NAMES.map((name) => [name, action.inputs[name].default]);
    expect(defaults).toEqual(INPUT_NAMES.map((name) => [name, inputRow(name).actionDefault]));
  });
});
