import type { Measurement } from '../../results/measurement.ts';

/** The command that runs one cell again on the simulation host. Pure. */
export function rerunCommand(
  { plan, run }: Measurement,
  episode: { readonly taskId: number; readonly initStateId: number },
): string {
  const { maxSteps } = plan.limits;
  return [
    'rollout-bench run --workspace <workspace>',
    `--target ${run.target.id} --skillruntime ${plan.skillruntime} --suite ${plan.suite}`,
    `--tasks ${episode.taskId} --init-states ${episode.initStateId}`,
    ...(maxSteps === null ? [] : [`--max-steps ${maxSteps}`]),
    '--policy-endpoint <endpoint>',
  ].join(' ');
}
