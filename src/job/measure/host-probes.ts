import type { Probe } from '../../queue/execution.ts';
import type { OpenHost } from '../prepare/open-host.ts';
import { type ArmPolicy, policyAnswers } from '../prepare/policies.ts';
import { targetAnswers } from '../prepare/target-answers.ts';

/** What is asked after errors of a run: its target, then its policies. */
export function hostProbes(
  { endpoints }: Pick<OpenHost, 'endpoints'>,
  policies: readonly ArmPolicy[],
): readonly Probe[] {
  return [
    async (signal) => {
      const why = await targetAnswers(endpoints.target, signal);
      return why === null ? null : { why, changed: false };
    },
    ...policies.map(
      (policy): Probe =>
        (signal) =>
          policyAnswers(policy, signal),
    ),
  ];
}
