import { EXIT, type Problem, problemOf, RbError } from '../../errors/rb-error.ts';
import { sessionEvidenceProblems } from '../../inputs/contradictions.ts';
import type { Plan } from '../../model/plan.ts';
import { earlyStopObstacles } from '../../verdict/early-stop-obstacles.ts';
import { type PlannedStates, ruleProblems } from '../../verdict/thresholds.ts';

/** What is wrong with a plan's rules before anything runs: floors out of reach, evidence too weak for a release, an early stop that cannot be. Pure. */
export function planProblems(plan: Plan, shards: number): Problem[] {
  const floors = [
    ...ruleProblems(plan.thresholds, plannedStates(plan)),
    ...(plan.purpose === 'release' ? sessionEvidenceProblems(plan.evidence, 'a release') : []),
  ];
  if (plan.earlyStop !== true) return floors;
  const baselineAtHand = plan.stopBaseline !== undefined;
  const obstacles = earlyStopObstacles(plan, { shards, baselineAtHand });
  return [
    ...floors,
    ...obstacles.map(
      (why): Problem =>
        problemOf('RB605', {
          where: 'input early-stop',
          message: `the run cannot stop early: ${why}.`,
        }),
    ),
  ];
}

/** Initial states of the candidate: all, and of the task with the fewest. Runs of one are no more evidence than one. */
function plannedStates({ cells, tasks }: Plan): PlannedStates {
  const own = cells.filter(({ arm }) => arm === 'candidate');
  const states = new Map(tasks.map(({ taskId }) => [taskId, new Set<number>()]));
  for (const { taskId, initStateId } of own) states.get(taskId)?.add(initStateId);
  const counts = [...states.values()].map(({ size }) => size);
  const overall = counts.reduce((sum, count) => sum + count, 0);
  return { overall, perTask: Math.min(...counts), repeated: own.length > overall };
}

/** @throws RbError RB365, RB602, RB605 (exit 2), all of them at once. */
export function requireSoundPlan(plan: Plan, shards: number): void {
  const problems = planProblems(plan, shards);
  if (problems.length > 0) throw new RbError(EXIT.usage, problems);
}
