import type { VerbOption } from './verbs.ts';

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
