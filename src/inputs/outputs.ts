/**
 * Outputs of the action. Of several suites, counts are added and the verdict is the worst. An unknown output is the
 * empty string, never 0.
 */
export const OUTPUT_TABLE = {
  verdict: 'PASS, FAIL, INCONCLUSIVE or INVALID; provisional in mode `run`.',
  reasons: 'Why, as a JSON list of `{code, text}`.',
  'success-rate': 'Successes divided by valid episodes, from 0 to 1.',
  'success-rate-low': 'Lower end of the 95 % Wilson interval of the success rate.',
  'success-rate-high': 'Upper end of the 95 % Wilson interval of the success rate.',
  successes: 'Episodes that succeeded.',
  valid: 'Episodes that count: successes and failures.',
  planned: 'Episodes that were planned.',
  errors: 'Episodes without a result because of the host, the target or the policy server.',
  'failed-tasks': 'Tasks with at least one failed episode, as a JSON list.',
  regressed: 'Episodes that the baseline solved and the candidate did not.',
  fixed: 'Episodes that the candidate solved and the baseline did not.',
  'evidence-grade':
    '`qualified` when every suite was planned and relied on a fresh qualification, else `exploratory`.',
  'run-id': 'Id of the run; of several suites the ids, separated by commas.',
  attempt: 'Number of the attempt of the run.',
  'plan-digest': 'sha256 of the plan.',
  'bundle-path': 'Folder of the sealed bundle on the host.',
  'bundle-sha256': "sha256 of the bundle's manifest.",
  'artifact-id': 'Id of the uploaded artifact.',
  'report-path': 'The Markdown report.',
  'report-url': 'Where the report branch shows the report.',
  'comment-url': 'The comment of the pull request.',
  'results-path': 'results.json.',
} as const satisfies Record<string, string>;

export type OutputName = keyof typeof OUTPUT_TABLE;
