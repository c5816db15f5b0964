import { type Bound, QUALIFICATION_SCHEMA_ID, type Qualification } from '../../../src/model/qualification.ts';
import { boundOf } from '../../../src/qualification/bound.ts';

/** What is on the host in tests that do not say otherwise. */
export const BOUND: Bound = boundOf({
  suite: 'libero_spatial',
  skillruntime: 'pi05_libero_remote',
  target: 'libero_real_remote',
  targetEndpoint: 'targetws://127.0.0.1:9002',
  contract: { version: 1, target_id: 'libero_real_remote' },
  fingerprint: { suite: 'libero_spatial', simulator: 'libero', max_steps: 220, 'config.action_dim': 7 },
  asked: { 'min-success-rate': 0.5, 'min-task-success-rate': null, 'max-steps': 220 },
  tool: { version: '0.1.0', distHash: 'd'.repeat(64) },
});

/** A qualification that passed; tests override what they are about. */
export function makeQualification(overrides: Partial<Qualification> = {}): Qualification {
  return {
    schema: QUALIFICATION_SCHEMA_ID,
    id: '20261129T120000Z-qualify-libero_spatial-0a1b',
    startedAt: '2026-11-29T11:58:00.000Z',
    qualifiedAt: '2026-11-29T12:00:00.000Z',
    qualified: true,
    bound: BOUND,
    gate: 0.5,
    controls: [
      {
        name: 'no-motion',
        kind: 'negative',
        expected: 'every episode a failure',
        observed: '2 failure',
        state: 'ok',
        episodes: [],
        manifestSha256: null,
      },
    ],
    mutants: [],
    skipped: [],
    positiveControl: null,
    phases: [{ name: 'no-motion', ms: 1000, episodes: 2, simulatorSteps: 440, stepsUnknown: 0 }],
    policyUnderTestUsed: false,
    statement: 'no policy under test used',
    ...overrides,
  };
}
