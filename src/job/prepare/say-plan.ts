import type { Plan } from '../../model/plan.ts';
import { planText } from '../../report/plan-text.ts';
import { reportProblems } from '../guard.ts';
import { earlierPace } from '../runs/earlier-runs.ts';
import type { VerbContext } from '../verb.ts';
import type { FoundTasks } from './find-tasks.ts';
import type { OpenHost } from './open-host.ts';
import { planWarnings } from './plan-warnings.ts';

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
  reportProblems(await planWarnings(host, plan, { pace, baseline: inputs.baseline.kind, found }), log);
}
