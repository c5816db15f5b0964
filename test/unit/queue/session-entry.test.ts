import { describe, expect, it } from 'vitest';
import { cellTargetWith } from '../../../src/queue/cell-target.ts';
import { editedFields, sessionEntry } from '../../../src/queue/machine/session-entry.ts';

const entry = sessionEntry({
  runId: 'run',
  sessionId: 'rb-run-t00-i000-r0-candidate-a0',
  cellTarget: 'T--rb-12345678',
  skillruntime: 'S',
  language: 'put the bowl on the plate ',
  limits: {
    maxSteps: 220,
    settleSteps: 10,
    maxPolicyCalls: 220,
    replanEverySteps: 5,
    actionChunkMode: 'chunk_buffer',
    sessionTimeoutS: 1800,
    policyTimeoutS: 10,
  },
  policyEndpoint: 'openpi://127.0.0.1:8000',
  targetEndpoint: null,
});

describe('sessionEntry', () => {
  it('has only keys that both dialects of the runtime know', () => {
    const common = new Set(
      'session_id goal_id target_ref skillruntime_ref task_description status priority timeouts retry routing execution safety_profile result'.split(
        ' ',
      ),
    );
    expect(Object.keys(entry).filter((key) => !common.has(key))).toEqual([]);
  });

  it('leaves retries to us, waits behind everybody else, and names its owner', () => {
    expect(entry).toMatchObject({
      retry: { max_retries: 0 },
      priority: 'low',
      goal_id: 'rollout-bench:run',
      task_description: 'put the bowl on the plate ',
      timeouts: { execute_timeout_s: 1800 },
      execution: { max_steps: 220 },
    });
    expect(entry.routing).not.toHaveProperty('target_endpoint');
  });
});

describe('editedFields', () => {
  it('accepts what the runtime itself does to an entry', () => {
    const rewritten = {
      ...entry,
      status: 'succeeded',
      target_ref: 'T--rb-12345678',
      result: { success: true },
    };
    expect(editedFields(entry, rewritten)).toEqual([]);
  });

  it.each([
    ['task_description', { ...entry, task_description: 'x' }],
    ['target_ref', { ...entry, target_ref: 'target://other' }],
    ['goal_id', { ...entry, goal_id: null }],
    ['routing.policy_endpoint', { ...entry, routing: { policy_endpoint: 'openpi://other:1' } }],
    ['entry', null],
  ])('finds a changed %s', (field, now) => {
    expect(editedFields(entry, now)).toEqual([field]);
  });
});

describe('cellTargetWith', () => {
  const base = {
    id: 'T',
    entry: {
      id: 'T',
      enabled: true,
      runtime: { target_adapter: 'a', runtime_contract_ref: 'c.yaml' },
      config: { x: 1 },
    },
    contract: { target_id: 'T', target_adapter: 'a' },
  };

  it('carries the config under an id that names it, with a contract of that id', () => {
    const target = cellTargetWith(base, { task_id: 3 });
    expect(target.id).toMatch(/^T--rb-[0-9a-f]{8}$/);
    expect(target.entry).toMatchObject({ id: target.id, config: { task_id: 3 }, enabled: true });
    expect(target.entry.runtime).toEqual({ target_adapter: 'a', runtime_contract_ref: target.contractRef });
    expect(target.contract).toEqual({ target_id: target.id, target_adapter: 'a' });
    expect(cellTargetWith(base, { task_id: 4 }).id).not.toBe(target.id);
  });
});
