import type { ArmResult, Results } from '../../model/results.ts';
import { percentOf } from '../../stats/rounding.ts';
import { numberText, stepsText } from '../text/format.ts';
import { contentionOf } from './contention.ts';

/** Steps, latency and coverage of each arm in one sentence each. Pure. */
export function headlinesOf(results: Results): string[] {
  const named = results.arms.length > 1;
  const latencyNote = contentionOf(results) === null ? 'means of episodes' : 'means of episodes; contended';
  const arms = results.arms.flatMap((arm) =>
    armLines(arm, named ? `${arm.arm}: ` : '', { latencyNote, ...plannedOf(results) }),
  );
  return [...arms, ...repeatedTexts(results)];
}

/** Whoever measures until the result is liked should not be able to hide it; empty for the first time. */
function repeatedTexts({ run: { attempt, attempts } }: Results): string[] {
  if (attempts === undefined || Math.max(attempts.ofRun, attempts.atCommit ?? 1) === 1) return [];
  return [`This is attempt ${attempt} of its run; ${attemptsText(attempts)}.`];
}

/** `2 attempts of this run and 3 of this suite at this commit were measured on its host`. Pure. */
export function attemptsText({ ofRun, atCommit }: NonNullable<Results['run']['attempts']>): string {
  const commit = atCommit === null ? '' : ` and ${atCommit} of this suite at this commit`;
  const were = ofRun === 1 && atCommit === null ? 'was' : 'were';
  return `${ofRun} ${ofRun === 1 ? 'attempt' : 'attempts'} of this run${commit} ${were} measured on its host`;
}

/** Whose sessions were collected without saying how many were meant: nobody knows how many were planned. */
function plannedOf({ run }: Results): { readonly unknownPlan: boolean } {
  const { collected, imported } = run;
  return { unknownPlan: collected?.planned === null || imported?.planned === null };
}

function armLines(
  arm: ArmResult,
  prefix: string,
  { latencyNote, unknownPlan }: { readonly latencyNote: string; readonly unknownPlan: boolean },
): string[] {
  const { stepsSuccessful: steps, policyLatencyMs: latency, retriedCells } = arm;
  const parts = [
    ...(steps.n === 0 ? [] : [`steps to success, median ${stepsText(steps)}`]),
    // The runtime tells one mean per episode, so these are percentiles of means.
    ...(latency.n === 0
      ? []
      : [
          `policy latency p50/p95 ${numberText(latency.median, 0)}/${numberText(latency.p95, 0)} ms (${latencyNote})`,
        ]),
    unknownPlan
      ? `${arm.valid} valid of ${arm.recorded} recorded episodes; how many were planned is unknown`
      : `${arm.valid} valid of ${arm.recorded} recorded and ${arm.planned} planned episodes`,
    ...(retriedCells === 0 ? [] : [`${retriedCells} retried`]),
  ];
  const text = parts.join('; ');
  const assisted = arm.assisted === undefined ? [] : [`${prefix}${assistedText(arm.assisted)}`];
  return [`${prefix}${prefix === '' ? text.charAt(0).toUpperCase() + text.slice(1) : text}.`, ...assisted];
}

/** A verifier's opinion, apart from the rates, which are of the simulator's own first attempts. Pure. */
function assistedText({ episodes, known, successes, replanned }: NonNullable<ArmResult['assisted']>): string {
  const open = episodes - known;
  const waits = open === 0 ? '' : `, ${open} without its word`;
  return `Assisted: a verifier takes ${successes} of ${known} episodes for successes${waits}; it had ${replanned} tried again. No rate here counts that, but the simulator's own first attempt.`;
}

/** What became of an early stop; empty where the plan does not allow one. Pure. */
export function stopTexts({ earlyStop }: Results): string[] {
  if (earlyStop === null) return [];
  const { stopped } = earlyStop;
  if (stopped === null) return ['An early stop was allowed; nothing was proven before the end.'];
  const { decision, prefix, planned, cells, notRun, afterStop } = stopped;
  const late =
    afterStop === 0
      ? ''
      : `; ${afterStop} ${afterStop === 1 ? 'was' : 'were'} at work or done already and ${afterStop === 1 ? 'does' : 'do'} not count`;
  return [
    `Stopped early: ${decision} was proven after ${prefix} of ${planned} cells in planned order. ${notRun} of ${cells} episodes (${percentOf(notRun, cells) ?? '0.0'}%) were not run${late}.`,
  ];
}
