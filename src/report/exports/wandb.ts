import { stableJson } from '../../base/stable-json.ts';
import type { ArmResult, Rate, Results } from '../../model/results.ts';

/**
 * What Weights & Biases takes as it is: `config` for `wandb.init`, `log` for one `log` of numbers. What is not known is
 * left out, since there a missing number is a gap and a null is an error. Pure.
 */
export function wandbText(results: Results): string {
  const { suite, benchmark, run, purpose, arms, initStates, repeats } = results;
  const candidate = run.arms.find(({ arm }) => arm === 'candidate');
  const config = {
    ...{ suite, benchmark, purpose, run_id: run.runId, attempt: run.attempt, plan_digest: run.planDigest },
    ...{ init_states: initStates.length, repeats, rollout_bench: run.tool.version },
    policy_ref: candidate?.policyRef ?? null,
    checkpoint_digest: candidate?.checkpointDigest ?? null,
    policy_metadata: candidate?.metadataBefore ?? null,
  };
  const log = Object.fromEntries(arms.flatMap((arm) => armEntries(suite, arm)));
  return stableJson({ config, log });
}

type Entry = readonly [string, number];

function armEntries(suite: string, arm: ArmResult): Entry[] {
  const place = arm.arm === 'candidate' ? suite : `${suite}/${arm.arm}`;
  return [
    ...rateEntries(place, arm.successRate),
    [`${place}/planned`, arm.planned],
    ...arm.tasks.flatMap((task) => rateEntries(`${place}/task_${task.taskId}`, task.successRate)),
  ];
}

function rateEntries(place: string, { k, n, rate, low, high }: Rate): Entry[] {
  const known: Entry[] = [
    [`${place}/successes`, k],
    [`${place}/valid`, n],
  ];
  if (rate !== null) known.push([`${place}/success_rate`, rate]);
  if (low !== null) known.push([`${place}/success_rate_low`, low]);
  if (high !== null) known.push([`${place}/success_rate_high`, high]);
  return known;
}
