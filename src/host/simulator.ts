/**
 * The simulated benchmark: suites, tasks, initial states, and who succeeds where. Pure; everything is a function of the
 * seed, so that a test can know each result in advance.
 */

export interface SimTask {
  readonly taskId: number;
  readonly name: string;
  readonly language: string;
  readonly problemFolder: string;
  readonly bddlFile: string;
}

export const INIT_STATES = 50;

const BOWL_PLACES = [
  'between the plate and the ramekin',
  'next to the ramekin',
  'from table center',
  'on the cookie box',
  'in the top drawer of the wooden cabinet',
  'on the ramekin',
  'next to the cookie box',
  'on the stove',
  'next to the plate',
  'on the wooden cabinet',
];

const GROCERIES = [
  'alphabet soup',
  'cream cheese',
  'salad dressing',
  'bbq sauce',
  'ketchup',
  'tomato sauce',
  'butter',
  'milk',
  'chocolate pudding',
  'orange juice',
];

const GOALS = [
  'open the lower drawer of the cabinet',
  'set the bowl down on the stove',
  'place the wine bottle on the cabinet',
  'slide the top drawer open and lay the bowl inside it',
  'lay the bowl on the cabinet',
  'shift the plate to the front of the stove',
  'move the cream cheese into the bowl',
  'switch the stove on',
  'set the bowl down on the plate',
  'stand the wine bottle on the rack',
];

const LONG_TASKS = [
  'place the alphabet soup and the tomato sauce together in the basket',
  'place the cream cheese box and the butter together in the basket',
  'switch the stove on and set the moka pot on it',
  'lay the black bowl in the lower drawer of the cabinet and shut the drawer',
  'set the white mug on the left plate and the striped mug on the right plate',
  'lift the book and stand it in the back compartment of the caddy',
  'set the white mug on the plate and lay the chocolate pudding to the right of the plate',
  'place the alphabet soup and the cream cheese box together in the basket',
  'set both moka pots on the stove',
  'lay the striped mug in the microwave and shut its door',
];

function suite(folder: string, languages: readonly string[]): readonly SimTask[] {
  return languages.map((language, taskId) => {
    const name = language.replaceAll(' ', '_');
    return { taskId, name, language, problemFolder: folder, bddlFile: `${name}.bddl` };
  });
}

/** The suites by name, in the order of their task ids. */
export const SUITES: ReadonlyMap<string, readonly SimTask[]> = new Map([
  [
    'libero_spatial',
    suite(
      'libero_spatial',
      BOWL_PLACES.map((place) => `pick up the black bowl ${place} and place it on the plate`),
    ),
  ],
  [
    'libero_object',
    suite(
      'libero_object',
      GROCERIES.map((item) => `pick up the ${item} and place it in the basket`),
    ),
  ],
  ['libero_goal', suite('libero_goal', GOALS)],
  ['libero_10', suite('libero_10', LONG_TASKS)],
]);

export interface SimCell {
  readonly suite: string;
  readonly taskId: number;
  readonly initStateId: number;
  /** How good the acting policy is, 0 to 1: about the share of initial states it solves on a task of middle difficulty. */
  readonly skill: number;
  /** 0 for the first time this cell runs; matters only with `rerunNoise`. */
  readonly run: number;
}

export type OutcomeRule =
  /** The rule of the rig's stub simulator, which the recorded documents were made with. Ignores the policy. */
  | { readonly kind: 'stub' }
  /** `rerunNoise` is the probability that a repetition of a cell ends the other way. */
  | { readonly kind: 'seeded'; readonly seed: number; readonly rerunNoise?: number };

interface SimOutcome {
  readonly success: boolean;
  /**
   * Step at which success is reached (when it is): of the policy under the seeded rule, of the simulator, settle steps
   * included, under the stub's.
   */
  readonly successStep: number;
}

const TASK_SPREAD = 0.3;
const POLICY_SPREAD = 0.06;
const FASTEST_STEPS = 30;
const SLOWEST_EXTRA_STEPS = 90;

/** Decides one episode. Deterministic: equal arguments give equal outcomes, in any process. */
export function outcomeOf(cell: SimCell, rule: OutcomeRule): SimOutcome {
  if (rule.kind === 'stub') {
    const success = (cell.taskId * 7 + cell.initStateId * 3) % 10 < 7;
    return { success, successStep: 25 + ((cell.taskId + cell.initStateId) % 9) };
  }
  const place = `${rule.seed}/${cell.suite}/${cell.taskId}`;
  const state = `${place}/${cell.initStateId}`;
  // The same initial states are hard for every policy, so two policies agree on most pairs, as real ones do.
  const difficulty = (unit(place) - 0.5) * TASK_SPREAD * 4 * cell.skill * (1 - cell.skill);
  const own =
    (unit(`${state}/${cell.skill.toFixed(4)}`) - 0.5) * POLICY_SPREAD * Math.min(1, cell.skill * 20);
  const solved = cell.skill > 0 && unit(state) < cell.skill - difficulty + own;
  const flips =
    cell.run > 0 && unit(`${state}/${cell.skill.toFixed(4)}/${cell.run}`) < (rule.rerunNoise ?? 0);
  const slowness =
    unit(`${state}/steps/${cell.skill.toFixed(4)}/${flips ? cell.run : 0}`) * (1.3 - cell.skill);
  const successStep = FASTEST_STEPS + Math.round(slowness * SLOWEST_EXTRA_STEPS);
  return { success: solved !== flips, successStep };
}

/** A number in [0, 1) from a text: FNV-1a, then the finaliser of MurmurHash3 for even spread. */
function unit(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}
