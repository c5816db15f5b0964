import { approvalKind } from './approval-kind.ts';
import { input } from './row.ts';

/** Whether a person must have said yes, and where. */
export const APPROVAL_INPUTS = {
  approval: input(approvalKind, {
    key: 'approval',
    level: 'input',
    default: 'auto',
    description:
      "Whether a person must have approved the run on GitHub, and where: by a review of the job's `environment`, by a `label` on the pull request, or by a `plan-file` on the base branch, as `rollout-bench plan --out` writes it. A name or path goes behind `=`: `environment=release`, where a workflow run has several; `label=benchmark-ok`, otherwise `rollout-bench-approved`; `plan-file=benchmark/plan.json`. `auto` asks for any of them for a release and for a fork's pull request in GitHub Actions, and for none otherwise; what differs from the usual goes behind it. The operator of the host can demand more.",
    example: 'auto, label=benchmark-ok',
    modes: ['approve', 'run', 'report', 'all'],
  }),
};
