import * as kinds from './kinds.ts';
import { input } from './row.ts';

const repositoryPath = kinds.text('path in the repository', 500, {
  regex: /^(?!\/)(?!.*(?:^|\/)\.\.(?:\/|$))[^\\\r\n]+$/,
  why: 'must be a path inside the repository, with / and without ..',
});

/** Whether a person must have said yes, and where. */
export const APPROVAL_INPUTS = {
  approval: input(kinds.choice(['auto', 'none', 'environment', 'label', 'plan-file']), {
    key: 'approval',
    level: 'input',
    default: 'auto',
    description:
      "Whether a person must have approved the run on GitHub, and where: by a review of the job's `environment`, by a `label` on the pull request, or by a `plan-file` on the base branch. `auto` asks for any of them for a release and for a fork's pull request in GitHub Actions, and for none otherwise. The operator of the host can demand more.",
    example: 'environment',
    modes: ['approve', 'run', 'all'],
  }),
  'approval-environment': input(kinds.text('name', 255), {
    key: 'approvalEnvironment',
    default: null,
    otherwise: 'the only one that was approved',
    description: 'Environment whose required reviewers approve, where a workflow run has several.',
    example: 'release',
    modes: ['approve', 'all'],
  }),
  'approval-label': input(kinds.text('name', 200), {
    key: 'approvalLabel',
    default: 'rollout-bench-approved',
    description:
      'Label of a pull request that approves its present commit when a person with write access sets it after the last push.',
    example: 'benchmark-ok',
    modes: ['approve', 'report', 'all'],
  }),
  'approved-plan': input(repositoryPath, {
    key: 'approvedPlan',
    default: null,
    otherwise: 'no plan file',
    description:
      'Plan on the base branch, as `rollout-bench plan --out` writes it, that allows one run of each commit.',
    example: 'benchmark/plan.json',
    modes: ['approve', 'all'],
  }),
};
