import type { Problem } from '../../errors/rb-error.ts';
import type { Plan } from '../../model/plan.ts';
import type { EpisodePace } from '../../plan/episode-pace.ts';
import { targetWarnings } from '../../plan/target-warnings.ts';
import { planText } from '../../report/plan-text.ts';
import { foreseenProblems } from '../../verdict/foresight.ts';
import { reportProblems } from '../guard.ts';
import { earlierPace } from '../runs/earlier-runs.ts';
import type { VerbContext } from '../verb.ts';
import type { FoundTasks } from './find-tasks.ts';
import type { OpenHost } from './open-host.ts';
import { chosenTarget } from './plan-for.ts';

interface PlanToSay {
  readonly verb: VerbContext;
  readonly host: OpenHost;
  readonly plan: Plan;
  readonly found: FoundTasks;
}

/** What is about to happen, before anything is queued. */
export async function sayPlan({ verb, host, plan, found }: PlanToSay): Promise<void> {
  const { log, inputs } = verb;
  log.group(`Before the first episode of ${plan.suite}`);
  const pace = await earlierPace(host.workspace, plan.suite);
  const surroundings = {
    target: host.target.id,
    discovery: found,
    pace,
    warnings: [],
  };
  log.info(planText(plan, surroundings));
  log.endGroup();
  reportProblems(planWarnings(host, plan, { pace, baseline: inputs.baseline.kind }), log);
}

/** What may go wrong with this plan on this host, and what it leaves behind for others. Pure. */
export function planWarnings(
  host: OpenHost,
  plan: Plan,
  known: { readonly pace: EpisodePace | null; readonly baseline: string },
): readonly Problem[] {
  const { maxSteps, settleSteps } = plan.limits;
  const cellConfig = {
    ...plan.targetConfig,
    max_steps: maxSteps,
    num_steps_wait: settleSteps,
  };
  return [
    ...targetWarnings(chosenTarget(host), host.targets, cellConfig),
    ...foreseenProblems(plan, { ...known, target: host.target }),
  ];
}
