import { APPROVAL_INPUTS } from './table/approval.ts';
import { HELD_OUT_INPUTS } from './table/held-out.ts';
import { HOST_INPUTS } from './table/host.ts';
import { MEASURE_INPUTS } from './table/measure.ts';
import { POLICY_INPUTS } from './table/policy.ts';
import { PUBLISH_INPUTS } from './table/publish.ts';
import { QUALIFY_INPUTS } from './table/qualify.ts';
import type { AnyRow, ValueOf } from './table/row.ts';
import { STARTED_POLICY_INPUTS } from './table/started-policy.ts';
import { VERDICT_INPUTS } from './table/verdict.ts';

/**
 * Every input of the action and of the command line. A new input is one row in one of the tables: its parser,
 * action.yml, docs/inputs.md and `--help` follow from it.
 */
export const INPUT_TABLE = {
  ...MEASURE_INPUTS,
  ...POLICY_INPUTS,
  ...STARTED_POLICY_INPUTS,
  ...HOST_INPUTS,
  ...VERDICT_INPUTS,
  ...PUBLISH_INPUTS,
  ...QUALIFY_INPUTS,
  ...APPROVAL_INPUTS,
  ...HELD_OUT_INPUTS,
};

type Table = typeof INPUT_TABLE;
export type InputName = keyof Table;
/** Where the value of an input came from. */
export type Origin = 'input' | 'config' | 'default';

/** Parsed values by their `key`; null where nothing was given and there is no default. */
export type InputValues = { readonly [Name in InputName as Table[Name]['key']]: ValueOf<Table[Name]> };

export const INPUT_NAMES: readonly InputName[] = Object.keys(INPUT_TABLE).filter(isInputName);

export function isInputName(name: string): name is InputName {
  return Object.hasOwn(INPUT_TABLE, name);
}

/** The row without the types of its value, for tables and loops. */
export function inputRow(name: InputName): AnyRow {
  return INPUT_TABLE[name];
}
