/** An option of one verb that is not an input: it is a switch, or takes a value. */
export interface VerbOption {
  readonly description: string;
  /** Placeholder of its value; absent for a switch. */
  readonly value?: string;
}

/** Options of `accept`: what it becomes, and where. */
export const ACCEPT_OPTIONS = {
  reason: { description: 'Why it is accepted; kept with the baseline. Required.', value: 'text' },
  branch: { description: 'Branch whose baseline it becomes. Default: main.', value: 'name' },
  anchor: {
    description:
      'Make it the anchor instead: what later runs are held against beside the baseline, until another is named.',
  },
  out: {
    description:
      'Write the baseline to a new file, for `baseline: <path>`, instead of the report branch; needs no token.',
    value: 'file',
  },
  leaderboard: {
    description: 'Put it on a board of leaderboard.html on the report branch instead; sets no baseline.',
  },
  board: { description: 'Name of that board. Default: the suite.', value: 'name' },
} as const satisfies Readonly<Record<string, VerbOption>>;

/** Which sessions of others are the evidence, and what was meant to be measured. */
export const COLLECT_OPTIONS: Readonly<Record<string, VerbOption>> = {
  goal: { description: 'Only sessions of this goal (`goal_id`).', value: 'text' },
  since: { description: 'Only sessions that ended at this day or time (UTC) or later.', value: 'time' },
  until: { description: 'Only sessions that ended at this day or time (UTC) or earlier.', value: 'time' },
  planned: {
    description:
      'What was meant to be measured, tasks times initial states: 10x50, or ids as 3-7x0-9; a third factor is the runs of each. What is missing of it counts.',
    value: 'count',
  },
};
