import type { VerbOption } from './verbs.ts';

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
