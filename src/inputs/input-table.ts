import { APPROVAL_INPUTS } from './table/approval.ts';
import { HELD_OUT_INPUTS } from './table/held-out.ts';
import { HOST_INPUTS } from './table/host.ts';
import { MEASURE_INPUTS } from './table/measure.ts';
import { POLICY_INPUTS } from './table/policy.ts';
import { PUBLISH_INPUTS } from './table/publish.ts';
import { QUALIFY_INPUTS } from './table/qualify.ts';
import { RECORD_INPUTS } from './table/record.ts';
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
  ...RECORD_INPUTS,
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
export type Origin = 'input' | 'config' | 'preset' | 'default';

/** Parsed values by their `key`; null where nothing was given and there is no default. */
export type InputValues = { readonly [Name in InputName as Table[Name]['key']]: ValueOf<Table[Name]> };

export const INPUT_NAMES: readonly InputName[] = Object.keys(INPUT_TABLE).filter(isInputName);

/** What most workflows have. */
export const EVERYDAY_INPUTS: readonly InputName[] = INPUT_NAMES.filter(
  (name) => inputRow(name).level === 'everyday',
);

/** The inputs of action.yml; all others are settings. */
export const ACTION_INPUTS: readonly InputName[] = INPUT_NAMES.filter((name) => !isSetting(name));

/** Headings of the page of inputs and of the help, with the inputs below them. */
export const INPUT_GROUPS: readonly (readonly [title: string, names: readonly InputName[]])[] = [
  ['Job, suite and plan', namesOf(MEASURE_INPUTS)],
  ['Target and policy', namesOf(POLICY_INPUTS)],
  ['A policy that the run starts', namesOf(STARTED_POLICY_INPUTS)],
  ['Film strips', namesOf(RECORD_INPUTS)],
  ['Time, caps and the host', namesOf(HOST_INPUTS)],
  ['Verdict', namesOf(VERDICT_INPUTS)],
  ['Report and publishing', namesOf(PUBLISH_INPUTS)],
  ['Qualification', namesOf(QUALIFY_INPUTS)],
  ['Approval', namesOf(APPROVAL_INPUTS)],
  ['Held-out cells, protected files, selection', namesOf(HELD_OUT_INPUTS)],
];

function namesOf(table: Readonly<Record<string, AnyRow>>): readonly InputName[] {
  return Object.keys(table).filter(isInputName);
}

export function isInputName(name: string): name is InputName {
  return Object.hasOwn(INPUT_TABLE, name);
}

/** The row without the types of its value, for tables and loops. */
export function inputRow(name: InputName): AnyRow {
  return INPUT_TABLE[name];
}

/** Whether an input is a key of the config file and an option of the command line only. */
export function isSetting(name: InputName): boolean {
  return inputRow(name).level === 'setting';
}
