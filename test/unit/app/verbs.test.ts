import { describe, expect, it } from 'vitest';
import { AFTER_JOB, MODES, VERBS } from '../../../src/app/verbs.ts';
import { INPUT_TABLE } from '../../../src/inputs/input-table.ts';
import { VERB_SPECS } from '../../../src/inputs/verbs.ts';

describe('the registry of use cases', () => {
  it('has each verb that the help shows, and no other', async () => {
    expect(Object.keys(VERBS).sort()).toEqual(Object.keys(VERB_SPECS).sort());
    for (const load of Object.values(VERBS)) expect(await load()).toBeTypeOf('function');
  });

  it('has each mode that the action accepts', async () => {
    for (const mode of Object.keys(MODES)) expect(INPUT_TABLE.mode.kind.parse(mode)).toBe(mode);
    expect(Object.keys(MODES)).toContain(INPUT_TABLE.mode.default);
    for (const load of Object.values(MODES)) expect(await load()).toBeTypeOf('function');
  });

  it('has something for the post step to call', async () => {
    expect(await AFTER_JOB?.()).toBeTypeOf('function');
  });
});
