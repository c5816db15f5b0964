import { type Problem, problemOf } from '../errors/rb-error.ts';
import type { InputName } from './input-table.ts';

type Values = ReadonlyMap<string, unknown>;
type Given = (name: InputName) => boolean;

/** Inputs that were given and on which nothing in this run depends, as warnings. Pure. */
export function withoutEffect(values: Values, given: Given): Problem[] {
  return [...withoutFloor(values, given), ...withoutCommand(values, given)];
}

function withoutFloor(values: Values, given: Given): Problem[] {
  const noFloor = values.get('minSuccessRate') === null && values.get('minTaskSuccessRate') === null;
  if (!given('threshold-mode') || !noFloor) return [];
  return [
    idle(
      'threshold-mode',
      'has no effect without a floor.',
      'Set min-success-rate or min-task-success-rate.',
    ),
  ];
}

const OF_A_COMMAND: readonly InputName[] = ['policy-directory', 'policy-stop-command', 'policy-env'];

/** Whoever only reports starts nothing, and may share a config file with who does. */
function withoutCommand(values: Values, given: Given): Problem[] {
  if (values.get('mode') === 'report') return [];
  const [candidate, baseline] = ['policyCommand', 'baselineCommand'].map((key) => values.get(key) !== null);
  const idleWithout = (command: string, names: readonly InputName[]): Problem[] =>
    names
      .filter(given)
      .map((name) =>
        idle(name, `has no effect without ${command}.`, `Give ${command}, or leave ${name} out.`),
      );
  const idleOnes = [
    ...(candidate === true || baseline === true ? [] : idleWithout('policy-command', OF_A_COMMAND)),
    ...(baseline === true ? [] : idleWithout('baseline-command', ['baseline-directory'])),
    ...(candidate === true && baseline === true
      ? []
      : idleWithout('policy-command and baseline-command', ['arms'])),
  ];
  if (!given('checkpoint') || candidate === true) return idleOnes;
  const unproven =
    'is recorded, and nothing here started the policy from it: what is served may be another one.';
  return [
    ...idleOnes,
    idle('checkpoint', unproven, 'Start the policy by policy-command, or give expect-policy.'),
  ];
}

function idle(name: InputName, message: string, fix: string): Problem {
  return problemOf('RB108', { where: `input ${name}`, message, fix });
}
