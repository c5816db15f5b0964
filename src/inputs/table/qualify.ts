import * as kinds from './kinds.ts';
import { policyEndpoint } from './policy.ts';
import { input } from './row.ts';

/** Proof that the benchmark tells good from bad, and how long it holds. */
export const QUALIFY_INPUTS = {
  'expert-endpoint': input(policyEndpoint, {
    key: 'expertEndpoint',
    level: 'input',
    default: null,
    otherwise: 'no positive control',
    description:
      'Where a policy listens that is known to solve the suite, such as a scripted expert or a replay. It is the positive control of a qualification.',
    example: 'openpi://127.0.0.1:8009',
    modes: ['qualify'],
  }),
  'qualification-age': input(kinds.duration(60), {
    key: 'qualificationAgeS',
    default: '7d',
    description:
      'How old the newest qualification of target, skill runtime and suite may be. A release needs a fresh one; every other run uses one if it is there.',
    example: '24h',
    modes: ['run', 'all'],
  }),
};
