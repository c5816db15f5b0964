import { canonicalJson } from '../base/canonical-json.ts';
import { isRecord } from '../base/guards.ts';
import { idRanges } from '../base/id-ranges.ts';
import { jsonWithoutOdd } from '../base/odd-characters.ts';
import { isHeldOutPlan, type Plan } from '../model/plan.ts';
import type { InputName } from './input-table.ts';

const SHOWN_VALUE = 60;
const SHOWN_DIFFERENCES = 8;
const PLAIN_WORD = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,59}$/;

/**
 * What differs between two plans, one text for each field, by the input that decides it where there is one, as
 * `max-steps was 220, now 280`; empty exactly when their digests are equal. Fields in the order of the plan; planned cells only where no other field explains them. Of
 * held-out plans the names of fields alone, because their values must be told to nobody.
 */
export function planDifferences(before: Plan, now: Plan): readonly string[] {
  if (isHeldOutPlan(before) || isHeldOutPlan(now)) return differingKeys(before, now);
  const { cells: cellsBefore, tasks: tasksBefore, initStates: statesBefore, ...restBefore } = before;
  const { cells, tasks, initStates, ...rest } = now;
  const found = [
    ...taskDifferences(tasksBefore, tasks),
    ...changed(nameOf('initStates'), idRanges(statesBefore), idRanges(initStates)),
    ...differences('', comparable(restBefore, rest), comparable(rest, restBefore)),
  ];
  if (found.length > 0 || canonicalJson(before) === canonicalJson(now)) return found;
  return cellsBefore.length === cells.length
    ? ['cells are others, or in another order']
    : [`cells were ${cellsBefore.length}, now ${cells.length}`];
}

/** How a stop tests goes with whether there is one: where only one plan stops early, it is no difference of its own. */
function comparable<P extends Pick<Plan, 'earlyStop' | 'stopDesign'>>(plan: P, other: P): P {
  if (plan.earlyStop === other.earlyStop) return plan;
  const { stopDesign: _stopDesign, ...rest } = plan;
  // Nothing but the optional key is gone.
  return rest as P;
}

/** Differences on one line, the first of them where there are many. */
export function differencesText(differences: readonly string[]): string {
  const more = differences.length - SHOWN_DIFFERENCES;
  return `${differences.slice(0, SHOWN_DIFFERENCES).join('; ')}${more > 0 ? `; and ${more} more` : ''}`;
}

function differingKeys(
  before: Readonly<Record<string, unknown>>,
  now: Readonly<Record<string, unknown>>,
): string[] {
  return [...new Set([...Object.keys(before), ...Object.keys(now)])]
    .filter((key) => canonical(ownValue(before, key)) !== canonical(ownValue(now, key)))
    .map((key) => `${key} differs`);
}

function taskDifferences(before: Plan['tasks'], now: Plan['tasks']): string[] {
  const ids = (tasks: Plan['tasks']): string => idRanges(tasks.map(({ taskId }) => taskId));
  const languages = new Map(before.map(({ taskId, language }) => [taskId, language]));
  return [
    ...changed(nameOf('tasks'), ids(before), ids(now)),
    ...now.flatMap(({ taskId, language }) => {
      const old = languages.get(taskId);
      if (old === undefined || old === language) return [];
      return [`language of task ${taskId} was ${shown(old)}, now ${shown(language)}`];
    }),
  ];
}

/** Leaves of two objects, named by their path; a list is one leaf. */
function differences(
  path: string,
  before: Readonly<Record<string, unknown>>,
  now: Readonly<Record<string, unknown>>,
): string[] {
  return [...new Set([...Object.keys(before), ...Object.keys(now)])].flatMap((key) => {
    const name = path === '' ? key : `${path}.${key}`;
    const [left, right] = [ownValue(before, key), ownValue(now, key)];
    if (isRecord(left) && isRecord(right)) return differences(name, left, right);
    // Caps may be absent as a whole; an empty object has no leaf that could tell.
    if (left === undefined && hasKeys(right)) return differences(name, {}, right);
    if (right === undefined && hasKeys(left)) return differences(name, left, {});
    return canonical(left) === canonical(right)
      ? []
      : [`${nameOf(name)} was ${valueText(name, left)}, now ${valueText(name, right)}`];
  });
}

function changed(name: string, before: string, now: string): string[] {
  return before === now ? [] : [`${name} was ${before}, now ${now}`];
}

/** A key of a target's config may be called like a method of every object. */
function ownValue(of: Readonly<Record<string, unknown>>, key: string): unknown {
  return Object.hasOwn(of, key) ? of[key] : undefined;
}

function hasKeys(value: unknown): value is Readonly<Record<string, unknown>> {
  return isRecord(value) && Object.keys(value).length > 0;
}

/** The input that decides a field, else its path in the plan. */
function nameOf(path: string): string {
  const known = fieldInput(path);
  if (known === null) return path;
  return known.part === undefined ? known.input : `${known.input} ${known.part}`;
}

/** As the user would give it: seconds with their unit, words without quotes, nothing where nothing is given. */
function valueText(path: string, value: unknown): string {
  const known = fieldInput(path);
  if (known === null) return shown(value);
  if (value === null) return 'not set';
  if (typeof value === 'string' && PLAIN_WORD.test(value)) return value;
  return `${shown(value)}${typeof value === 'number' ? (known.unit ?? '') : ''}`;
}

function canonical(value: unknown): string | null {
  return value === undefined ? null : canonicalJson(value);
}

/** On one line and short: a plan that was read from a file may hold anything. */
function shown(value: unknown): string {
  if (value === undefined) return 'not set';
  const text = jsonWithoutOdd(canonicalJson(value));
  return [...text].length > SHOWN_VALUE ? `${[...text].slice(0, SHOWN_VALUE).join('')}…` : text;
}

/** A field of a plan as its user gives it. */
interface FieldInput {
  readonly input: InputName;
  /** Which part of it. */
  readonly part?: string;
  /** What the input wants after the number, as in `60s`. */
  readonly unit?: string;
}

/** Fields by their path in the plan, where an input decides them. */
const FIELD_INPUTS: Readonly<Record<string, FieldInput>> = {
  purpose: { input: 'purpose' },
  suite: { input: 'suite' },
  skillruntime: { input: 'skillruntime' },
  tasks: { input: 'tasks' },
  initStates: { input: 'init-states' },
  repeats: { input: 'repeats' },
  'order.seed': { input: 'seed' },
  'limits.maxSteps': { input: 'max-steps' },
  'limits.maxPolicyCalls': { input: 'max-policy-calls' },
  'limits.sessionTimeoutS': { input: 'session-timeout', unit: 's' },
  'limits.policyTimeoutS': { input: 'policy-timeout', unit: 's' },
  retryErrors: { input: 'retry-errors' },
  timeoutsAs: { input: 'timeouts-as' },
  'thresholds.minSuccessRate': { input: 'min-success-rate' },
  'thresholds.minTaskSuccessRate': { input: 'min-task-success-rate' },
  'thresholds.thresholdMode': { input: 'threshold-mode' },
  'thresholds.maxRegression': { input: 'max-regression' },
  'thresholds.onInconclusive': { input: 'on-inconclusive' },
  'thresholds.maxRegressionSinceAnchor': { input: 'max-regression-since-anchor' },
  'thresholds.allowDroppedTasks': { input: 'allow-dropped-tasks' },
  earlyStop: { input: 'early-stop' },
  aaTest: { input: 'baseline' },
  evidence: { input: 'evidence' },
  'caps.maxSessions': { input: 'caps', part: 'sessions' },
  'caps.maxWallTimeS': { input: 'caps', part: 'wall-time', unit: 's' },
  'caps.maxArtifactBytes': { input: 'caps', part: 'artifact-size' },
};

/** The input that decides a field of a plan, with the unit of its numbers; null where none does. Pure. */
function fieldInput(path: string): FieldInput | null {
  return Object.hasOwn(FIELD_INPUTS, path) ? (FIELD_INPUTS[path] ?? null) : null;
}
