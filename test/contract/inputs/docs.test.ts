import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { ACTION_INPUTS, inputRow } from '../../../src/inputs/input-table.ts';
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
    expect(Object.keys(action.inputs).toSorted()).toEqual(ACTION_INPUTS.toSorted());
    expect(Object.keys(action.outputs)).toEqual(Object.keys(OUTPUT_TABLE));
    const defaults = ACTION_INPUTS.map((name) => [name, action.inputs[name].default]);
    expect(defaults).toEqual(ACTION_INPUTS.map((name) => [name, inputRow(name).actionDefault]));
  });
});
