import type { Problem } from '../../errors/rb-error.ts';
import type { Plan } from '../../model/plan.ts';
import type { EpisodePace } from '../../plan/episode-pace.ts';
import { targetWarnings } from '../../plan/target-warnings.ts';
import { foreseenProblems } from '../../verdict/foresight.ts';
import { TEST_LEVEL } from '../../verdict/levels.ts';
import type { OpenHost } from './open-host.ts';
import { chosenTarget } from './plan-for.ts';

/** What may go wrong with this plan on this host, and what it leaves behind for others. */
export async function planWarnings(
  host: OpenHost,
  plan: Plan,
  known: { readonly pace: EpisodePace | null; readonly baseline: string },
): Promise<readonly Problem[]> {
  const { maxSteps, settleSteps } = plan.limits;
  const cellConfig = {
    ...plan.targetConfig,
    max_steps: maxSteps,
    num_steps_wait: settleSteps,
  };
  return [
    ...targetWarnings(chosenTarget(host), host.targets, cellConfig),
    ...foreseenProblems(plan, { ...known, passLevel: await passLevelOf(plan), target: host.target }),
  ];
}

/** The design of an early stop is loaded only for a plan that may stop. */
async function passLevelOf(plan: Plan): Promise<number> {
  if (plan.earlyStop !== true) return TEST_LEVEL;
  const { lastPassLevel } = await import('../../verdict/early-stop-design.ts');
  return lastPassLevel(plan);
}
