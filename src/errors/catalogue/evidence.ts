/** RB5xx: collecting evidence and rendering the report. */
export const EVIDENCE_ERRORS = {
  RB510: {
    title: 'The report template cannot be used',
    help: 'A template is Mustache text. Every value is escaped for Markdown; `{{{name}}}` and `{{& name}}` are refused, because names of tasks and messages come from outside.',
  },
  RB511: {
    title: 'SESSIONS.md cannot be read for collecting',
    help: 'Give the runtime’s workspace with --workspace, and run as a user who may read its files.',
  },
  RB512: {
    title: 'A session to collect is not there or not finished',
    help: 'Only finished entries that are still in SESSIONS.md can be collected; look at `rollout-bench status`.',
  },
  RB513: {
    title: 'There is nothing to collect',
    help: 'Every finished entry belongs to a benchmark of ours, or there is none. Sessions of a benchmark are in its own bundle.',
  },
} as const;
