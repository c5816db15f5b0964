import { idRanges } from '../../base/id-ranges.ts';
import type { HeldOutSummary } from '../../model/held-out-summary.ts';
import { capWord } from '../../model/journal-events.ts';
import type { ArmResult, Results } from '../../model/results.ts';
import { unpairedDetectableDrop } from '../../stats/power.ts';
import { points } from '../../stats/rounding.ts';
import { intervalText } from '../text/format.ts';
import { approvalLimits } from './approval-text.ts';
import { evidenceLimits } from './evidence-text.ts';
import { recordingLimits } from './recording-text.ts';
import { startedLimits } from './started-text.ts';

/** Below this many valid episodes an interval is wider than most differences between policies. */
const FEW_EPISODES = 50;

/** Nothing here looks into how the host keeps programs apart, so no report may read as if it had. */
const NOT_TESTED = 'Isolation of the policy from the simulator’s files and from the network: not tested.';

/** What this run could not have seen, in sentences; never empty for a run with gaps or small numbers. */
export function limitsOf(results: Results, heldOut: HeldOutSummary | null = null): string[] {
  return [
    ...results.arms.flatMap((arm) => armLimits(arm)),
    ...coverageLimits(results),
    scopeLimit(results, heldOut),
    ...identityLimits(results),
    ...recordingLimits(results),
    ...startedLimits(results),
    ...approvalLimits(results),
    ...evidenceLimits(results),
    ...selectionLimits(results),
    NOT_TESTED,
  ];
}

function armLimits(arm: ArmResult): string[] {
  if (arm.valid === 0) return [`${arm.arm}: no valid episode, so nothing is known about its success rate.`];
  const said = [
    `${arm.arm}: ${arm.valid} valid episodes leave the true rate anywhere within ${intervalText(arm.successRate)} % (95 %).`,
  ];
  const drop = unpairedDetectableDrop(arm.valid, arm.successRate.rate ?? 0);
  if (drop !== null) {
    const size = (points(drop) ?? '').replace('+', '');
    said.push(
      `${arm.arm}: compared with a run on other initial states, as many episodes would miss more than one in five drops smaller than ${size} points.`,
    );
  }
  if (arm.valid < FEW_EPISODES)
    said.push(`${arm.arm}: with fewer than ${FEW_EPISODES} episodes a single collapsed task can hide.`);
  return said;
}

function coverageLimits(results: Results): string[] {
  const said: string[] = [];
  if (results.earlyStop?.stopped != null) {
    said.push(
      'The run stopped as soon as its verdict was proven: its rates lean towards that verdict, and tasks were looked at less than planned.',
    );
  }
  if (results.caps?.reached != null && results.end?.kind !== 'complete') {
    said.push(
      `The run ended at its cap ${capWord(results.caps.reached.name)}: what was planned after that is not known.`,
    );
  }
  for (const arm of results.arms) {
    const lost = arm.planned - arm.valid - arm.unneeded;
    if (lost > 0) said.push(`${arm.arm}: ${lost} of ${arm.planned} planned episodes have no valid outcome.`);
    const nameless = results.unattributed?.length ?? 0;
    if (nameless > 0)
      said.push(
        `${arm.arm}: of ${nameless} sessions nothing tells which episode they ran; they count as lost and are in no task.`,
      );
    const silent = arm.tasks.filter((task) => task.valid === 0).map((task) => task.taskId);
    if (silent.length > 0) said.push(`${arm.arm}: nothing is known about task ${idRanges(silent)}.`);
  }
  if (results.repeats === 1 && results.run.imported === undefined)
    said.push('Each initial state was run once: luck of a single rollout is not separated.');
  if (results.run.shard !== null) said.push('This is one shard of a plan; the other shards hold the rest.');
  return said;
}

/**
 * What the numbers are about. Whether anything else was run is another question: held-out cells were, and so may have been
 * other suites of the job, sessions of another group, and the cells that a held-out list left open.
 */
function scopeLimit({ initStates, run }: Results, heldOut: HeldOutSummary | null): string {
  if (run.imported !== undefined)
    return 'Other tasks, initial states and suites are not part of these numbers.';
  if (run.heldOutOf !== undefined)
    return 'Only the cells of the held-out list are part of these numbers; all others are not.';
  const states = `Initial states other than ${idRanges(initStates)}, other tasks and other suites`;
  if (heldOut === null) return `${states} are not part of these numbers.`;
  return `${states} are not part of these numbers; the ${heldOut.count} held-out cells have numbers of their own.`;
}

/** Choosing a policy by the cells that are to certify it is the reader's question for a release, and for no other run. */
function selectionLimits({ purpose, run }: Results): string[] {
  if (run.selection === undefined) {
    if (purpose !== 'release') return [];
    return ['Selection was not declared: whether these cells helped to choose the policy is not known.'];
  }
  const { from, overlap } = run.selection;
  const names = from.map(({ name, cells }) => `${name} (${cells} cells)`).join(', ');
  const met = overlap === 0 ? 'none of them was measured here' : `${overlap} of them were measured here`;
  return [`As declared, the policy was chosen by ${names}; ${met}.`];
}

function identityLimits({ run }: Results): string[] {
  const silent = run.arms.filter((arm) => arm.metadataBefore === null).map((arm) => arm.arm);
  return silent.map(
    (arm) => `${arm}: policy identity unknown; the run cannot show which checkpoint answered.`,
  );
}
