import { describe, expect, it } from 'vitest';
import { checkPlan } from '../../../src/host/adapter-plan.ts';
import {
  CONTRACT_ADAPTERS,
  checkContractActions,
  contractGap,
  contractInput,
} from '../../../src/host/contract-adapter.ts';
import { RuntimeFailure } from '../../../src/host/python-error.ts';
import { parseContract } from '../../../src/host/registry-schema.ts';
import { decodeWire, encodePolicyWire, NdArray } from '../../../src/host/wire.ts';

const contract = (observation: object, shape: readonly (string | number)[] = ['T', 4]) =>
  parseContract({
    target_id: 'arm',
    target_adapter: 'target_adapter://contract_adapter',
    observation,
    action_contract: {
      id: 'arm_v1',
      accepted_representations: ['delta'],
      shape,
      dtype: 'float32',
      normalized: false,
      frame: 'world',
      control_mode: 'delta',
      control_hz: 80,
    },
    safety: {},
  });

const state = (shape: readonly number[] = [2], dtype = '<f8') =>
  new NdArray(dtype, shape, new Uint8Array(8 * shape.reduce((size, each) => size * each, 1)));
const said = contract({
  channels: { state: { dtype: 'float64', shape: [2] }, image: { dtype: 'uint8', policy_key: 'picture' } },
});
const image = new NdArray('|u1', [1, 1, 3], new Uint8Array(3));

const refusal = (work: () => unknown): string => {
  try {
    work();
  } catch (error) {
    if (error instanceof RuntimeFailure) return `${error.code} ${error.message}`;
    throw error;
  }
  return 'nothing was refused';
};

describe('observations by contract', () => {
  it('reach the policy under the names of the contract, as they are, and nothing else does', () => {
    const seen = state();
    expect(contractInput(said, { state: seen, image, task_id: 3 }, 'open it')).toEqual({
      'observation/state': seen,
      picture: image,
      prompt: 'open it',
    });
  });

  it.each([
    ['a part that is not there', { image }, 'ADAPTER observation is missing the array state'],
    [
      'another dtype',
      { state: state([2], '<f4'), image },
      'ADAPTER observation state is float32, not float64',
    ],
    ['another shape', { state: state([3]), image }, 'ADAPTER observation state is [3], not [2]'],
    ['a number in place of an array', { state: 1, image }, 'ADAPTER observation is missing the array state'],
  ])('are refused with %s', (_, observation, text) => {
    expect(refusal(() => contractInput(said, observation, ''))).toBe(text);
  });

  it('may have more parts than fit into a small MessagePack map', () => {
    const parts = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`key${index}`, index]));
    expect(decodeWire(encodePolicyWire(parts))).toEqual(parts);
  });
});

describe('actions by contract', () => {
  const rows = (count: number, width: number, value = 0) =>
    NdArray.float32(new Array<number>(count * width).fill(value), [count, width]);

  it.each([1, 4, 7, 23])('have the width of the contract: %i', (width) => {
    const other = contract({ channels: { state: { dtype: 'float64' } } }, ['T', width]);
    expect(refusal(() => checkContractActions(other, rows(5, width), 5))).toBe('nothing was refused');
    expect(refusal(() => checkContractActions(other, rows(5, width + 1), 5))).toBe(
      `ADAPTER action shape mismatch: expected [T,${width}], got [5,${width + 1}]`,
    );
  });

  it('are refused when there are none, too many, or some that are no numbers', () => {
    expect(refusal(() => checkContractActions(said, rows(0, 4), 5))).toContain('chunk of 0 rows');
    expect(refusal(() => checkContractActions(said, rows(6, 4), 5))).toContain('chunk of 6 rows');
    expect(refusal(() => checkContractActions(said, rows(1, 4, Number.NaN), 5))).toContain('NaN or Inf');
  });
});

describe('a preflight of the original', () => {
  const plan = {
    target_adapter: 'target_adapter://contract_adapter',
    policy_adapter: 'policy_adapter://openpi_contract_adapter',
    observation_path: [],
    action_path: [],
    action_bridges: [],
    validation_mode: 'strict' as const,
  };

  it('knows no adapters that go by a contract; that of the service does', () => {
    const missed = (more: ReadonlySet<string>): string[] => {
      const codes: string[] = [];
      checkPlan(plan, ({ code }) => codes.push(code), more);
      return codes;
    };
    expect(missed(new Set())).toEqual(['ACTION_BRIDGE_MISSING', 'POLICY_INPUT_CONTRACT_UNSATISFIED']);
    expect(missed(CONTRACT_ADAPTERS)).toEqual([]);
  });
});

describe('a contract that an adapter can go by', () => {
  it('names the parts of an observation and a fixed width', () => {
    expect(contractGap(said)).toBeNull();
    expect(contractGap(contract({}))).toContain('observation.channels');
    expect(contractGap(contract({ channels: {} }))).toContain('observation.channels');
    expect(contractGap(contract({ channels: { state: { dtype: 'float64' } } }, ['T', 'A']))).toContain(
      'shape',
    );
  });
});
