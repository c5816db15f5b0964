import type { Results } from '../../model/results.ts';

/** What stands for the cell where the command is said once for all of them. */
export const ANY_CELL = { taskId: '<task>', initStateId: '<initial state>' } as const;

/**
 * The command that measures one cell again on the simulation host; null for results that were not measured there. Pure.
 */
export function rerunCommand(
  { run, skillruntime, suite, limits: { maxSteps } }: Results,
  { taskId, initStateId }: { readonly taskId: number | string; readonly initStateId: number | string },
): string | null {
  if (run.imported !== undefined) return null;
  return [
    'rollout-bench run --workspace <workspace>',
    `--target ${run.target.id} --skillruntime ${skillruntime} --suite ${suite}`,
    `--tasks ${taskId} --init-states ${initStateId}`,
    ...(maxSteps === null ? [] : [`--max-steps ${maxSteps}`]),
    '--policy-endpoint <endpoint>',
  ].join(' ');
}
