import { idRanges } from '../base/id-ranges.ts';
import { withoutOdd } from '../base/odd-characters.ts';
import { roughDuration } from '../base/rough-duration.ts';
import { type Problem, problemLine } from '../errors/rb-error.ts';
import { capsText } from '../model/caps.ts';
import { type Pin, pinText } from '../model/pins.ts';
import { cellKey, type Plan } from '../model/plan.ts';
import type { EpisodePace } from '../plan/episode-pace.ts';
import { planDigest } from '../plan/make-plan.ts';
import { givenPercent } from '../stats/rounding.ts';
import { expectedDuration } from '../verdict/foresight.ts';
import { visibleDropText } from '../verdict/visible-drop.ts';

/** What the plan itself does not say, because it may differ between hosts that share it. */
interface PlanSurroundings {
  readonly target: string;
  readonly discovery: { readonly source: string; readonly why: string };
  /** Of valid episodes in earlier runs here, null when there are none. */
  readonly pace: EpisodePace | null;
  readonly warnings: readonly Problem[];
  /** The languages of the tasks are not known yet. Left out: they are. */
  readonly provisional?: boolean;
  /** What decided the settings above others, as rows of the table. */
  readonly settings?: readonly (readonly [string, string])[];
  /** Left out: they are shown elsewhere. */
  readonly pins?: readonly Pin[];
}

const NO_DIGEST = 'not known before the server lists the tasks; with a tasks-file it is';
const NO_LANGUAGE = 'language not known before the server lists it';
const SHOWN_TASKS = 20;
const SHOWN_CELLS = 5;
const SHOWN_LANGUAGE = 200;

/** The plan as `rollout-bench plan` prints it. */
export function planText(plan: Plan, surroundings: PlanSurroundings): string {
  const lines = [
    `Plan of ${plan.suite} (${plan.benchmark})`,
    '',
    ...table([
      ['digest', surroundings.provisional === true ? NO_DIGEST : planDigest(plan)],
      ['target', surroundings.target],
      ['skill runtime', plan.skillruntime],
      ['purpose', plan.purpose],
      ...(surroundings.settings ?? []),
      ['episodes', episodesText(plan)],
      ['order', `${plan.order.scheme}, seed ${plan.order.seed}; first ${firstCells(plan)}`],
      ['limits', limitsText(plan)],
      ...capsRows(plan),
      ['floors', floorsText(plan)],
      ...comparisonRows(plan),
      ...heldOutRows(plan),
      ...evidenceRows(plan),
      [
        'errors',
        `${plan.retryErrors} more ${plan.retryErrors === 1 ? 'try' : 'tries'}; timeouts count as ${plan.timeoutsAs}`,
      ],
      ['expected time', expectedDuration(plan, surroundings.pace)],
      ['visible drop', visibleDropText(plan)],
      ['tasks from', `${surroundings.discovery.source} (${surroundings.discovery.why})`],
    ]),
    '',
    'Tasks:',
    ...plan.tasks
      .slice(0, SHOWN_TASKS)
      .map(
        (task) =>
          `  ${String(task.taskId).padStart(3)}  ${task.language === '' ? NO_LANGUAGE : oneLine(task.language)}`,
      ),
    ...(plan.tasks.length > SHOWN_TASKS ? [`  … and ${plan.tasks.length - SHOWN_TASKS} more`] : []),
  ];
  const pins = (surroundings.pins ?? []).map((pin): [string, string] => [pin.name, oneLine(pinText(pin))]);
  if (pins.length > 0) lines.push('', 'Pins:', ...table(pins));
  const warnings = surroundings.warnings.map((warning) => `warning: ${problemLine(warning)}`);
  return `${[...lines, ...(warnings.length === 0 ? [] : ['', ...warnings])].join('\n')}\n`;
}

/** A language comes from a server: on one line it can neither rewrite the terminal nor begin a command of a workflow. */
function oneLine(text: string): string {
  const line = withoutOdd(text.replace(/\s+/g, ' '));
  return [...line].length > SHOWN_LANGUAGE ? `${[...line].slice(0, SHOWN_LANGUAGE).join('')}…` : line;
}

function table(rows: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, value]) => `  ${name.padEnd(width)}  ${value}`);
}

function episodesText(plan: Plan): string {
  const factors = [
    plan.tasks.length === 1 ? '1 task' : `${plan.tasks.length} tasks`,
    `${plan.initStates.length} initial state${plan.initStates.length === 1 ? '' : 's'} (${idRanges(plan.initStates)})`,
    ...(plan.repeats > 1 ? [`${plan.repeats} repeats`] : []),
    ...(plan.arms.length > 1 ? [`arms ${plan.arms.join(' and ')}`] : []),
  ];
  return `${plan.cells.length} = ${factors.join(' x ')}`;
}

function firstCells(plan: Plan): string {
  return plan.cells.slice(0, SHOWN_CELLS).map(cellKey).join(', ');
}

function limitsText({ limits }: Plan): string {
  const steps = limits.maxSteps === null ? "the target's own steps" : `${limits.maxSteps} steps`;
  const settle = limits.settleSteps === null ? '' : ` after ${limits.settleSteps} to settle`;
  return `${steps}${settle}, ${limits.maxPolicyCalls ?? 'unknown'} policy calls, ${limits.sessionTimeoutS === null ? 'unknown time' : roughDuration(limits.sessionTimeoutS)} an episode`;
}

function capsRows({ caps }: Plan): [string, string][] {
  return caps === undefined ? [] : [['caps', capsText(caps)]];
}

/** Only where the run itself compares or may stop: a report may compare with more. */
function comparisonRows({ arms, aaTest, earlyStop, stopBaseline, thresholds }: Plan): [string, string][] {
  const margin = `margin ${givenPercent(thresholds.maxRegression)} points`;
  const arm = aaTest === true ? 'the same policy again (A/A test)' : 'the policy of the second arm';
  const recorded = stopBaseline === undefined ? [] : [`recorded cells ${stopBaseline.slice(0, 12)}`];
  const against = arms.includes('baseline') ? [arm] : recorded;
  const rows = against.map((name): [string, string] => ['baseline', `${name}, ${margin}`]);
  if (earlyStop !== true) return rows;
  return [
    ...rows,
    ['early stop', 'floors as soon as they are certain, the difference at thirds of the plan'],
  ];
}

/** How many, and what binds the list; which they are is on the host alone. */
function heldOutRows({ heldOut }: Plan): [string, string][] {
  if (heldOut === undefined) return [];
  return [['held out', `${heldOut.count} more cells, not named; commitment ${heldOut.commitment}`]];
}

function evidenceRows({ evidence }: Plan): [string, string][] {
  if (evidence === undefined) return [];
  return [['evidence', 'session: the simulator is not asked which cell ran; no ground for a release']];
}

function floorsText({ thresholds }: Plan): string {
  const floors = [
    ['suite', thresholds.minSuccessRate] as const,
    ['each task', thresholds.minTaskSuccessRate] as const,
  ].flatMap(([name, floor]) => (floor === null ? [] : [`${name} ${givenPercent(floor)} %`]));
  return floors.length === 0 ? 'none' : `${floors.join(', ')} (${thresholds.thresholdMode})`;
}
