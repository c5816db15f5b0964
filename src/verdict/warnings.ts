import type { EpisodeRecord } from '../model/episode-record.ts';
import type { Arm, Plan } from '../model/plan.ts';
import type { Reason } from '../model/verdict.ts';
import { givenPercent } from '../stats/rounding.ts';
import { percentile } from '../stats/summaries.ts';
import { lastPassLevel } from './early-stop-design.ts';
import { few } from './few.ts';
import { isMargin } from './margin.ts';
import { pairsNeededForMargin } from './margin-pairs.ts';
import { type PairedSummary, sameEverywhere } from './paired-summary.ts';
import type { Pairing } from './pairing.ts';
import { tallyArm } from './record-checks.ts';
import { SESSION_EVIDENCE } from './release.ts';

/** Fewer initial states than this per task say little about a task. */
const FEW_STATES = 5;
/** From here on constant outcomes and step counts are looked at with suspicion. */
const SUSPICIOUS_FROM = 20;

/**
 * Patterns that have meant a broken harness elsewhere. They never decide; each says what it saw.
 * Order of the records does not matter.
 */
export function patternWarnings(plan: Plan, unordered: readonly EpisodeRecord[]): Reason[] {
  const records = [...unordered].sort((a, b) => a.position - b.position);
  return plan.arms.flatMap((arm) => {
    const own = records.filter((record) => record.arm === arm);
    return [
      ...extremeRates(plan, records, arm),
      ...atStepCap(plan, own, arm),
      ...aboveStepCap(plan, own, arm),
      ...successAtStart(own, arm),
      ...constantSteps(own, arm),
      ...instructions(plan, own, arm),
      ...repeatedSessions(own, arm),
    ];
  });
}

/** What the plan alone promises too much of. */
export function planWarnings(plan: Plan, compares: boolean): Reason[] {
  const warnings: Reason[] =
    plan.evidence === undefined ? [] : [{ code: 'session_evidence', text: SESSION_EVIDENCE }];
  if (plan.initStates.length < FEW_STATES) {
    const states =
      plan.initStates.length === 1 ? '1 initial state' : `${plan.initStates.length} initial states`;
    const text = `Only ${states} per task: the rate of a task is hardly known, and repeats do not replace states.`;
    warnings.push({ code: 'few_initial_states', text });
  }
  if (plan.repeats > 1) {
    const text = `${plan.repeats} runs on each initial state are not independent: intervals of plain rates are too narrow, comparisons count states.`;
    warnings.push({ code: 'repeats_not_independent', text });
  }
  const margin = plan.thresholds.maxRegression;
  const states = plan.tasks.length * plan.initStates.length;
  const needed = isMargin(margin) ? pairsNeededForMargin(margin, lastPassLevel(plan)) : 0;
  if (compares && states < needed) {
    const text = `${states} pairs cannot rule out a drop of ${givenPercent(margin)} points even if every pair agrees: at least ${needed} are needed for a PASS without gains.`;
    warnings.push({ code: 'margin_out_of_reach', text });
  }
  return warnings;
}

interface ComparisonKnowledge {
  /** Both sides are one policy on purpose. */
  readonly samePolicy: boolean;
  /** The run may end early: what it left out is unpaired by design, and the sequential gates decide. */
  readonly mayStop: boolean;
}

/** Warnings of a paired comparison. */
export function comparisonWarnings(
  pairing: Pairing,
  summary: PairedSummary | null,
  { samePolicy, mayStop }: ComparisonKnowledge = { samePolicy: false, mayStop: false },
): Reason[] {
  const warnings: Reason[] = [];
  if (!samePolicy && sameEverywhere(pairing.pairs) && pairing.pairs.length >= FEW_STATES) {
    const text = `All ${pairing.pairs.length} pairs agree in outcome and steps: was the same policy served twice?`;
    warnings.push({ code: 'same_policy_twice', text });
  }
  for (const task of summary?.tasks.filter((each) => each.flagged) ?? []) {
    const { regressed, fixed, n } = task.table;
    const states = task.states < n ? `, on ${task.states} initial states` : '';
    const text = `Task ${task.taskId} collapsed: ${regressed} of ${n} pairs regressed, ${fixed} fixed${states} (p ${task.holmP.toPrecision(2)} after Holm).`;
    warnings.push({ code: 'task_collapsed', text });
  }
  if (mayStop) return warnings;
  if (summary?.byTask === true) {
    const text = `Tasks have unequally many pairs: every task weighs the same in the difference that decides.`;
    warnings.push({ code: 'macro_gates', text });
  }
  if (pairing.unusedBaseline > 0) {
    const text = `${pairing.unusedBaseline} baseline episodes belong to no planned cell and are not used.`;
    warnings.push({ code: 'baseline_unused', text });
  }
  return warnings;
}

function extremeRates(plan: Plan, records: readonly EpisodeRecord[], arm: Arm): Reason[] {
  const { tasks, valid, successes } = tallyArm(plan, records, arm);
  if (valid < FEW_STATES) return [];
  const where = `${arm}: `;
  if (successes === 0) {
    const text = `${where}no success in ${valid} episodes on any task: suspect the harness (images, action scale, normalisation) before the policy.`;
    return [{ code: 'no_success_anywhere', text }];
  }
  if (successes === valid && valid >= SUSPICIOUS_FROM) {
    const text = `${where}every one of ${valid} episodes succeeded: check that success means what it should.`;
    return [{ code: 'success_everywhere', text }];
  }
  const allOrNothing = tasks.filter((task) => task.valid > 1);
  const constant = allOrNothing.every((task) => task.successes === 0 || task.successes === task.valid);
  if (constant && allOrNothing.length > 1 && valid >= SUSPICIOUS_FROM) {
    const text = `${where}every task succeeds always or never: initial states or seeds may not differ between episodes.`;
    return [{ code: 'constant_outcomes', text }];
  }
  return [];
}

/** Failures that all sit at the cap while successes nearly reach it point at a cap that is too small. */
function atStepCap(plan: Plan, own: readonly EpisodeRecord[], arm: Arm): Reason[] {
  const cap = plan.limits.maxSteps;
  if (cap === null) return [];
  const steps = (outcome: 'success' | 'failure'): number[] =>
    own.flatMap((record) => (record.outcome === outcome && record.steps !== null ? [record.steps] : []));
  const failures = steps('failure');
  const atCap = failures.filter((value) => value >= cap).length;
  const late = percentile(steps('success'), 0.5);
  if (failures.length < 5 || atCap < 0.8 * failures.length || late === null || late < 0.8 * cap) return [];
  const text = `${arm}: ${atCap} of ${failures.length} failures end at the step cap of ${cap}, and the median success takes ${late}: the cap may be too small.`;
  return [{ code: 'failures_at_step_cap', text }];
}

/** More steps than the plan allows: another cap was in force. Settle steps may or may not be counted. */
function aboveStepCap(plan: Plan, own: readonly EpisodeRecord[], arm: Arm): Reason[] {
  const { maxSteps, settleSteps } = plan.limits;
  if (maxSteps === null) return [];
  const most = maxSteps + (settleSteps ?? 0);
  const above = own.filter((record) => record.steps !== null && record.steps > most);
  if (above.length === 0) return [];
  const text = `${arm}: ${above.length} episodes took more steps than the cap of ${maxSteps} allows: ${few(above.map(cellName))}.`;
  return [{ code: 'steps_above_cap', text }];
}

function successAtStart(own: readonly EpisodeRecord[], arm: Arm): Reason[] {
  const found = own.filter((record) => record.outcome === 'success' && record.steps === 0);
  if (found.length === 0) return [];
  const text = `${arm}: ${found.length} episodes succeeded at step 0, before the policy acted: ${few(found.map(cellName))}.`;
  return [{ code: 'success_at_step_0', text }];
}

/** Successes that all take the same number of steps were probably the same episode. */
function constantSteps(own: readonly EpisodeRecord[], arm: Arm): Reason[] {
  const steps = own.flatMap((record) =>
    record.outcome === 'success' && record.steps !== null ? [record.steps] : [],
  );
  if (steps.length < SUSPICIOUS_FROM || steps.some((value) => value !== steps[0])) return [];
  const text = `${arm}: all ${steps.length} successes took exactly ${steps[0]} steps: the episodes may not be different ones.`;
  return [{ code: 'constant_steps', text }];
}

/** The instruction an episode ran with must be its task's. */
function instructions(plan: Plan, own: readonly EpisodeRecord[], arm: Arm): Reason[] {
  const languages = new Map(plan.tasks.map((task) => [task.taskId, task.language]));
  const other = own.filter((record) => languages.get(record.taskId) !== record.language);
  if (other.length === 0) return [];
  const text = `${arm}: ${other.length} episodes ran with an instruction that is not their task's: ${few(other.map(cellName))}.`;
  return [{ code: 'instruction_differs', text }];
}

function repeatedSessions(own: readonly EpisodeRecord[], arm: Arm): Reason[] {
  const seen = new Set<string>();
  const twice = new Set<string>();
  for (const { sessionId } of own) {
    if (sessionId === null) continue;
    if (seen.has(sessionId)) twice.add(sessionId);
    seen.add(sessionId);
  }
  if (twice.size === 0) return [];
  const text = `${arm}: ${twice.size} sessions stand behind more than one cell: ${few([...twice].sort())}.`;
  return [{ code: 'identical_ids', text }];
}

function cellName(record: EpisodeRecord): string {
  return `t${record.taskId}-i${record.initStateId}-r${record.runIndex}`;
}
