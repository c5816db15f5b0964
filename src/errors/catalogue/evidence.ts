/** RB5xx: collecting evidence and rendering the report. */
export const EVIDENCE_ERRORS = {
  RB510: {
    title: 'The report template cannot be used',
    help: 'A template is Mustache text. Every value is escaped for Markdown; `{{{name}}}` and `{{& name}}` are refused, because names of tasks and messages come from outside.',
  },
} as const;
