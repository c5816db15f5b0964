import * as kinds from './kinds.ts';
import { input } from './row.ts';

/** Cells that must stay unknown, cells that were used up, and files that rule the measurement. */
export const HELD_OUT_INPUTS = {
  'heldout-file': input(kinds.paths, {
    key: 'heldoutFiles',
    default: null,
    otherwise: 'nothing is held out',
    description:
      'Files on the simulation host, outside of the checkout, with cells that are measured too but named nowhere: only their aggregate is published. One for each suite.',
    example: '/srv/benchmark/heldout-libero_spatial.yml',
    modes: ['run', 'all', 'approve'],
  }),
  'protected-paths': input(kinds.paths, {
    key: 'protectedPaths',
    default: null,
    otherwise: 'the config file and the workflow',
    description:
      'Files and folders of the repository that rule the measurement, such as a plan or a tasks-file. A pull request that edits one is reported as measurement changed.',
    example: 'benchmark/,baselines/episodes.jsonl',
    modes: ['report', 'all'],
  }),
  'selected-from': input(kinds.paths, {
    key: 'selectedFrom',
    default: null,
    otherwise: 'not declared',
    description:
      'What the policy was chosen by: bundle folders, plan.json, baseline or episodes files, or run ids of this host. A release refuses cells that are among them.',
    example: '20261129T160612Z-libero_spatial-3f9a',
    modes: ['run', 'all'],
  }),
};
