import type { Problem } from '../../errors/rb-error.ts';
import type { Plan } from '../../model/plan.ts';
import type { EpisodePace } from '../../plan/episode-pace.ts';
import { targetWarnings } from '../../plan/target-warnings.ts';
import { foreseenProblems } from '../../verdict/foresight.ts';
import { isMargin } from '../../verdict/margin.ts';
import type { FoundTasks } from './find-tasks.ts';
import type { OpenHost } from './open-host.ts';
import { chosenTarget } from './plan-for.ts';

type Described = Pick<FoundTasks, 'description'>;

/** What may go wrong with this plan on this host, and what it leaves behind for others. */
export async function planWarnings(
  host: OpenHost,
  plan: Plan,
  known: { readonly pace: EpisodePace | null; readonly baseline: string; readonly found: Described },
): Promise<readonly Problem[]> {
  const { maxSteps, settleSteps } = plan.limits;
  const cellConfig = {
    ...plan.targetConfig,
    max_steps: maxSteps,
    num_steps_wait: settleSteps,
  };
  return [
    ...targetWarnings(chosenTarget(host), host.targets, cellConfig),
    ...foreseenProblems(plan, {
      pace: known.pace,
      baseline: known.baseline,
      pairsNeeded: await pairsNeededBy(plan),
      initStates: described(known.found, plan.suite),
      target: host.target,
    }),
  ];
}

/** A target that was configured for another suite describes that one. */
function described({ description }: Described, suite: string): number | undefined {
  const isOther = description?.suite != null && description.suite !== suite;
  return isOther ? undefined : description?.initStates;
}

/** The statistics are loaded only for a plan with a margin, the design of an early stop only for one that may stop. */
async function pairsNeededBy(plan: Plan): Promise<number> {
  const { maxRegression } = plan.thresholds;
  if (!isMargin(maxRegression)) return 0;
  const { pairsNeededForMargin } = await import('../../verdict/margin-pairs.ts');
  if (plan.earlyStop !== true) return pairsNeededForMargin(maxRegression);
  const { lastPassLevel } = await import('../../verdict/early-stop-design.ts');
  return pairsNeededForMargin(maxRegression, lastPassLevel(plan));
}
