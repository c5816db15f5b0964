import type { EpisodeRecord, Outcome } from '../../../src/model/episode-record.ts';
import { RUN_SCHEMA_ID, type RunFacts } from '../../../src/model/run-facts.ts';

/** A record of task 0, init state `position`; tests override what they are about. */
export function makeRecord(
  position: number,
  outcome: Outcome,
  overrides: Partial<EpisodeRecord> = {},
): EpisodeRecord {
  const ran = outcome !== 'not_run';
  const decided = outcome === 'success' || outcome === 'failure';
  const record: EpisodeRecord = {
    benchmark: 'libero',
    suite: 'libero_spatial',
    taskId: 0,
    initStateId: position,
    runIndex: 0,
    arm: 'candidate',
    position,
    language: 'a task',
    outcome,
    sessionId: ran ? `rb-x-${position}` : null,
    attempts: [],
    success: decided ? outcome === 'success' : null,
    successSource: decided ? 'episode.benchmark' : null,
    steps: outcome === 'failure' ? 280 : decided ? 20 + position : null,
    episodeReturn: decided ? (outcome === 'success' ? 1 : 0) : null,
    policyLatencyMs: decided ? 40 : null,
    policyCalls: decided ? 4 : null,
    durationMs: ran ? 5000 : null,
    startedAt: null,
    finishedAt: null,
    errorCode: null,
    errorMessage: null,
    artifactDir: decided ? `artifacts/runtime/rb-x-${position}` : null,
    notes: [],
    ...overrides,
  };
  const { sessionId, errorCode, errorMessage } = record;
  const attempts =
    overrides.attempts ??
    (sessionId === null ? [] : [{ sessionId, attempt: 0, outcome: record.outcome, errorCode, errorMessage }]);
  return { ...record, attempts };
}

export function makeRunFacts(overrides: Partial<RunFacts> = {}): RunFacts {
  return {
    schema: RUN_SCHEMA_ID,
    runId: '20261129T160612Z-libero_spatial-0a1b',
    attempt: 1,
    planDigest: 'a'.repeat(64),
    evidenceClass: 'planned',
    tool: { version: '0.1.0', distHash: null },
    startedAt: '2026-11-29T16:06:12.000Z',
    sealedAt: '2026-11-29T16:16:12.000Z',
    shard: null,
    positions: null,
    target: { id: 'libero_real_remote', endpoint: 'targetws://127.0.0.1:8765', kind: 'simulation' },
    arms: [
      {
        arm: 'candidate',
        endpoint: 'openpi://127.0.0.1:8000',
        policyRef: 'pi05@abc123',
        checkpointDigest: null,
        imageDigest: null,
        metadataBefore: { model: 'pi05' },
        metadataAfter: { model: 'pi05' },
        changed: null,
      },
    ],
    discovery: { method: 'describe', note: null },
    runtime: { version: 'august' },
    host: { gpu: null },
    fingerprint: { max_steps: 280 },
    source: { commit: 'deadbeef' },
    phases: [{ name: 'queue', ms: 1200 }],
    warnings: [],
    ...overrides,
  };
}
