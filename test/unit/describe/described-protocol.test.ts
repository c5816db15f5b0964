import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { WhyNot } from '../../../src/base/why-not.ts';
import { readDescription } from '../../../src/describe/description.ts';
import { compareFingerprints, fingerprintOf } from '../../../src/verdict/fingerprint.ts';
import { planOf } from '../verdict/records.ts';

const libero = {
  runtime: 'LiberoRealRemoteTargetRuntime',
  benchmark_name: 'libero_spatial',
  task_id: 0,
  task_description: 'pick up the bowl',
  num_tasks: 1,
  task_list: [{ task_id: 0, task_name: 'a', language: 'pick up the bowl' }],
  observation_schema: {
    agentview_image: { dtype: 'uint8', layout: 'HWC' },
    robot0_eef_pos: { dtype: 'float32', shape: [3] },
  },
  action_contract: {
    id: 'libero_delta_eef_gripper_v1',
    shape: ['T', 7],
    dtype: 'float32',
    normalized: false,
    frame: 'base',
    max_chunk_size: 50,
  },
};

const plan = planOf({ tasks: 1, initStates: 1 });
function fingerprint(payload: unknown) {
  const description = readDescription(payload);
  if (description instanceof WhyNot) throw new Error(description.why);
  return fingerprintOf(plan, {
    ...description.protocol,
    simulator: description.runtime,
  });
}
const differing = (change: object, to: object = libero) =>
  compareFingerprints(fingerprint(to), fingerprint({ ...to, ...change })).differing;
const action = (change: object) => ({
  action_contract: { ...libero.action_contract, ...change },
});

describe('the protocol that a target describes', () => {
  it.each([
    ['another frame', action({ frame: 'world' }), ['action_contract', 'action_frame']],
    ['normalised actions', action({ normalized: true }), ['action_contract']],
    ['another shape', action({ shape: ['T', 8] }), ['action_contract']],
    [
      'another layout',
      { observation_schema: { agentview_image: { layout: 'CHW' } } },
      ['observation_schema'],
    ],
    ['another runtime', { runtime: 'Other' }, ['simulator']],
    ['a setting that nobody knows', { physics_substeps: 4 }, ['described_settings']],
  ])('tells %s', (_case, change, fields) => {
    expect(differing(change)).toEqual(fields);
  });

  it('tells control rate and versions, wherever they are said', () => {
    const rate = {
      ...libero,
      ...action({ control_hz: 20 }),
      mujoco_version: '3.1.0',
      versions: { robosuite: '1.4' },
    };
    const changed = { ...action({ control_hz: 50 }), mujoco_version: '3.2.0' };
    expect(differing(changed, rate)).toEqual(['simulator_versions', 'action_contract', 'control_rate']);
    expect(fingerprint(rate)['control_rate']).toBe(20);
    expect(differing({ control_rate_hz: 25n }, { ...libero, control_rate_hz: 20n })).toEqual([
      'control_rate',
    ]);
  });

  it('is the same whatever session the server ran last, and whenever it is asked', () => {
    expect(
      differing({
        benchmark_name: 'libero_goal',
        task_id: 3,
        task_description: 'open the drawer',
        num_tasks: 2,
        task_list: [],
        init_state_id: 4,
        max_steps: 600,
        camera_height: 128,
        timestamp_ns: 1_900_000_000_000_000_000n,
        uptime_s: 12.5,
        session_id: 's',
        server_pid: 4,
        ...action({ max_chunk_size: 8 }),
      }),
    ).toEqual([]);
  });

  it('is not established where one side never recorded it, and never silently equal', () => {
    // As bundles hold it that know neither of the fields.
    const { observation_schema: _o, action_contract: _a, action_frame: _f, ...older } = fingerprint(libero);
    const { differing: none, unestablished } = compareFingerprints(fingerprint(libero), older);
    expect(none).toEqual([]);
    expect(unestablished).toEqual(
      expect.arrayContaining(['observation_schema', 'action_contract', 'action_frame']),
    );
  });

  it('can be digested, whatever a server sends', () => {
    const values = fc
      .anything({ withBigInt: true, maxDepth: 4 })
      .filter((value) => typeof value !== 'symbol');
    fc.assert(
      fc.property(fc.dictionary(fc.string(), values, { maxKeys: 5 }), values, (extra, schema) => {
        const payload = {
          ...extra,
          observation_schema: schema,
          action_contract: null,
          task_list: [],
        };
        const description = readDescription({
          ...payload,
          runtime: null,
          benchmark_name: null,
        });
        if (description instanceof WhyNot) return;
        expect(() => fingerprintOf(plan, description.protocol)).not.toThrow();
      }),
    );
  });

  it('refuses a nesting that nobody writes by hand', () => {
    const deep = Array.from({ length: 40 }).reduce<unknown>((inner) => ({ inner }), 1);
    const { why } = readDescription({ ...libero, extra: deep }) as WhyNot;
    expect(why).toMatch(/nested deeper than 32 levels/);
  });
});
