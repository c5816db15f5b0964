import * as z from 'zod';
import { RbError } from '../../../src/errors/rb-error.ts';
import { inputRow, isInputName } from '../../../src/inputs/input-table.ts';
import { readInputs } from '../../../src/inputs/read-inputs.ts';

const scalar = z.union([z.string(), z.number(), z.boolean()]);
const stepSchema = z.looseObject({
  uses: z.string().optional(),
  run: z.string().optional(),
  with: z.record(z.string(), scalar).optional(),
});
export const stepsSchema = z.array(stepSchema).min(1);
export type Step = z.infer<typeof stepSchema>;

const permissionsSchema = z.record(z.string(), z.enum(['read', 'write', 'none']));
export const workflowSchema = z.looseObject({
  name: z.string(),
  on: z.union([z.string(), z.record(z.string(), z.unknown())]),
  permissions: permissionsSchema,
  jobs: z.record(
    z.string(),
    z.looseObject({
      'runs-on': z.union([z.string(), z.array(z.string())]),
      'timeout-minutes': z.number().int().positive().optional(),
      permissions: permissionsSchema.optional(),
      steps: stepsSchema,
    }),
  ),
});
export type Workflow = z.infer<typeof workflowSchema>;

/** The action itself, under the name that documents use or from its own checkout. */
const OURS = /^(?:OWNER\/rollout-bench@v\d+|\.\/|\$\/)$/;
const PINNED = /^[\w.-]+\/[\w./-]+@[0-9a-f]{40}$/;
const EXPRESSION = /\$\{\{/;

/** Everything that is wrong with a step; an empty list when a runner would take it. */
export function stepProblems(step: Step): readonly string[] {
  const { uses, run } = step;
  if ((uses === undefined) === (run === undefined)) return ['a step needs either uses or run'];
  if (uses === undefined) return [];
  if (OURS.test(uses)) return inputProblems(step.with ?? {});
  return PINNED.test(uses) ? [] : [`${uses} is not pinned by its full commit`];
}

/** Inputs by the real parser; a value with an expression is known to the runner only, so the example stands for it. */
function inputProblems(given: Readonly<Record<string, string | number | boolean>>): readonly string[] {
  const unknown = Object.keys(given).filter((name) => !isInputName(name));
  if (unknown.length > 0) return unknown.map((name) => `there is no input ${name}`);
  const raw = Object.entries(given).map(([name, value]): [string, string] => {
    const text = String(value);
    return [name, EXPRESSION.test(text) && isInputName(name) ? inputRow(name).example : text];
  });
  try {
    readInputs(Object.fromEntries(raw), undefined, { step: true });
    return [];
  } catch (error) {
    if (error instanceof RbError) return error.problems.map(({ where, message }) => `${where} ${message}`);
    throw error;
  }
}
