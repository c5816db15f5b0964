import * as z from 'zod';
import type { TargetDescription } from '../../describe/description.ts';
import { type Problem, problemOf } from '../../errors/rb-error.ts';
import { suiteDefaults } from '../../plan/suite-defaults.ts';

/** What the documents need of a target's description, all of it known. */
export interface TargetSays {
  readonly suite: string;
  readonly width: number;
  readonly maxSteps: number;
  readonly maxChunkSize: number;
  readonly action: z.output<typeof actionSchema>;
  /** Name → dtype and shape. */
  readonly channels: Readonly<Record<string, z.output<typeof channelSchema>>>;
}

/** LIBERO's own server tells neither rate, representation nor components; its controller runs at 20 Hz. */
const LIBERO = {
  representation: 'delta_eef_pose_gripper',
  control_mode: 'cartesian_delta_position',
  control_hz: 20,
  components: ['dx', 'dy', 'dz', 'droll', 'dpitch', 'dyaw', 'gripper'].map((name) => ({ name })),
};

const MAX_NAME = 200;
const name = z.string().min(1).max(MAX_NAME);
const actionSchema = z.object({
  id: name,
  representation: name.default('action'),
  dtype: name,
  normalized: z.boolean().default(false),
  frame: name.default('none'),
  control_mode: name.default('policy'),
  control_hz: z.number().positive().optional(),
  components: z
    .array(z.object({ name, unit: name.optional() }))
    .max(MAX_NAME)
    .default([]),
});
const channelSchema = z.object({ dtype: name, shape: z.array(z.int().min(0)).max(8).optional() });
const channelsSchema = z.record(name, channelSchema);

/** What the target says, or every part of it that is missing (RB983). Pure. */
export function targetSays(description: TargetDescription, where: string): TargetSays | readonly Problem[] {
  const { suite, actionDim, protocol } = description;
  const known = suite === null ? null : suiteDefaults(suite);
  const action = actionSchema.safeParse({
    ...(known === null ? {} : LIBERO),
    ...asMap(protocol.action_contract),
  });
  const channels = channelsSchema.safeParse(protocol.observation_schema);
  const maxSteps = description.maxSteps ?? known?.maxSteps ?? null;
  const lacking = [
    suite === null ? 'benchmark_name: the name of its suite' : null,
    actionDim === null ? 'action_contract.shape: ["T", the numbers in one action]' : null,
    action.success ? null : `action_contract: ${firstIssue(action.error)}`,
    action.success && action.data.control_hz === undefined
      ? 'action_contract.control_hz: actions a second'
      : null,
    channels.success && Object.keys(channels.data).length > 0
      ? null
      : 'observation_schema: a dtype for each part of the observation',
    maxSteps === null ? 'max_steps: the steps of an episode' : null,
  ].filter((each) => each !== null);
  if (lacking.length > 0 || suite === null || actionDim === null || !action.success || !channels.success)
    return lacking.map((each) => missing(each, where));
  return {
    suite,
    width: actionDim,
    maxSteps: maxSteps ?? 0,
    maxChunkSize: description.maxChunkSize ?? 1,
    action: action.data,
    channels: channels.data,
  };
}

function firstIssue(error: z.ZodError): string {
  const issue = error.issues[0];
  return `${issue?.path.join('.') || 'it'} ${issue?.message ?? 'is not understood'}`;
}

/** The entries that say something. */
function asMap(value: unknown): Record<string, unknown> {
  const map = z.record(z.string(), z.unknown()).safeParse(value);
  return Object.fromEntries(Object.entries(map.data ?? {}).filter(([, entry]) => entry !== null));
}

function missing(what: string, where: string): Problem {
  return problemOf('RB983', {
    where,
    message: 'its description lacks what the documents of a workspace must say.',
    value: what,
    fix: 'Let the server tell it in target.describe, as docs/simulators/targetws.py does, or write the documents by hand.',
  });
}
