import { describe, expect, it } from 'vitest';
import { workspaceDocuments } from '../../../src/app/init/documents.ts';
import { KITS, kitFor } from '../../../src/app/init/kits.ts';
import { targetSays } from '../../../src/app/init/target-says.ts';
import { WhyNot } from '../../../src/base/why-not.ts';
import { readDescription, type TargetDescription } from '../../../src/describe/description.ts';
import { contractGap } from '../../../src/host/contract-adapter.ts';
import { parseContract as hostContract } from '../../../src/host/registry-schema.ts';
import { loadYaml } from '../../../src/workspace/pyyaml.ts';

/** As a server of the kit says it, without some fields. */
function described(without: readonly string[] = [], action: object = {}): TargetDescription {
  const payload: Record<string, unknown> = {
    runtime: 'maze',
    benchmark_name: 'maze-v1',
    max_steps: 60,
    task_list: [{ task_id: 0, task_name: 'a', language: 'go' }],
    observation_schema: { state: { dtype: 'float64', shape: [2] } },
    action_contract: {
      id: 'maze_v1',
      dtype: 'float32',
      shape: ['T', 3],
      control_hz: 5,
      max_chunk_size: 8,
      ...action,
    },
  };
  for (const key of without) delete payload[key];
  const description = readDescription(payload);
  if (description instanceof WhyNot) throw new Error(description.why);
  return description;
}

const said = (description: TargetDescription) => {
  const says = targetSays(description, 'target');
  if (!('suite' in says)) throw new Error(says.map(({ value }) => value).join());
  return says;
};
const lacking = (description: TargetDescription): (string | undefined)[] => {
  const says = targetSays(description, 'target');
  return 'suite' in says ? [] : says.map(({ code, value }) => `${code} ${value}`);
};
const endpoints = { targetEndpoint: 'targetws://sim:9002', policyEndpoint: 'openpi://gpu:8000' };

describe('what a target says', () => {
  it('is enough with suite, width, rate, observation and steps', () => {
    expect(said(described())).toMatchObject({ suite: 'maze-v1', width: 3, maxSteps: 60, maxChunkSize: 8 });
  });

  it('is refused with everything that is missing at once', () => {
    expect(lacking(described(['benchmark_name', 'max_steps', 'observation_schema']))).toEqual([
      'RB983 benchmark_name: the name of its suite',
      'RB983 observation_schema: a dtype for each part of the observation',
      'RB983 max_steps: the steps of an episode',
    ]);
    expect(lacking(described([], { shape: ['T', 'A'], control_hz: null }))).toEqual([
      'RB983 action_contract.shape: ["T", the numbers in one action]',
      'RB983 action_contract.control_hz: actions a second',
    ]);
  });

  it('is never filled with a rate that nobody told', () => {
    expect(lacking(described([], { control_hz: undefined }))).toEqual([
      'RB983 action_contract.control_hz: actions a second',
    ]);
  });
});

describe('the documents of a new workspace', () => {
  it.each(['metaworld', 'gymnasium'] as const)('hold a contract that the host can go by: %s', (name) => {
    const [contract] = workspaceDocuments({ kit: KITS[name], says: said(described()), ...endpoints });
    const parsed = hostContract(loadYaml(contract?.content ?? ''));
    expect(contractGap(parsed)).toBeNull();
    expect(parsed).toMatchObject({
      target_id: name,
      action_contract: { shape: ['T', 3], control_hz: { value: 5 } },
    });
  });

  it('end with the registry that names the others, and have the action width of the target everywhere', () => {
    const documents = workspaceDocuments({ kit: KITS.gymnasium, says: said(described()), ...endpoints });
    expect(documents.map(({ name }) => name)).toEqual([
      'configs/runtime/contracts/gymnasium.runtime.yaml',
      'SESSIONS.md',
      'SKILLRUNTIME.md',
      'TARGETS.md',
    ]);
    expect(documents.at(-1)?.content).toContain('action_dim: 3');
    expect(documents.map(({ content }) => content).join()).not.toMatch(/\b7\b/);
  });

  it('use the adapter for LIBERO where a target shows what LIBERO shows, and an id of the suite elsewhere', () => {
    expect(kitFor('libero_goal', ['agentview_image', 'robot0_eef_quat'])).toBe(KITS.libero);
    expect(kitFor('CartPole-v1', ['state'])).toMatchObject({ targetId: 'cartpole_v1', contractRules: true });
    expect(kitFor('迷路', ['state']).targetId).toBe('simulator');
  });
});
