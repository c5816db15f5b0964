/** RB914 to RB919: the notice to a webhook. */
export const NOTICE_ERRORS = {
  RB914: {
    title: 'No address to notify',
    help: '`notify` names a variable of the environment. It must be set at the step (`env:`, from a secret) and hold one https address; the address itself is never shown.',
    severity: 'warning',
  },
  RB915: {
    title: 'The notice was not taken',
    help: 'The service behind `notify` did not answer, answered with an error, or with another address, which is not followed. The verdict is the same.',
    severity: 'warning',
  },
  RB916: {
    title: 'This step notifies nobody',
    help: 'A notice is sent by a step with `mode: report` alone: where code under test runs, no secret address should be. Measure with `mode: run` in one job, and report in a second one.',
    severity: 'warning',
  },
} as const;
