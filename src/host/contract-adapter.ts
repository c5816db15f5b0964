import * as z from 'zod';
import { RuntimeFailure } from './python-error.ts';
import type { Contract } from './registry-schema.ts';
import { NdArray, type WireMap } from './wire.ts';

/**
 * Adapters that know no simulator: what a policy sees and how wide an action is stand in the target's contract. For targets
 * that a watchdog of the original knows nothing of. Pure.
 */

export const CONTRACT_RUNTIME = 'TargetWSProxy';
export const CONTRACT_TARGET_ADAPTER = 'target_adapter://contract_adapter';
const CONTRACT_POLICY_ADAPTER = 'policy_adapter://openpi_contract_adapter';

/** What a preflight takes beside the adapters of the original. */
export const CONTRACT_ADAPTERS: ReadonlySet<string> = new Set([
  CONTRACT_TARGET_ADAPTER,
  CONTRACT_POLICY_ADAPTER,
]);

/** `observation.channels` of a contract: what the target sends under this name and the policy gets under `policy_key`. */
const channelSchema = z.object({
  dtype: z.string(),
  /** Absent where it is not fixed. */
  shape: z.array(z.int().min(0)).optional(),
  /** `observation/<name>` unless given. */
  policy_key: z.string().min(1).optional(),
});
const observationSchema = z.object({ channels: z.record(z.string().min(1), channelSchema) });
type Channels = z.output<typeof observationSchema>['channels'];

/** What such a contract must say, or one sentence of what it lacks. */
export function contractGap(contract: Contract): string | null {
  const parsed = observationSchema.safeParse(contract.observation);
  if (!parsed.success || Object.keys(parsed.data.channels).length === 0)
    return 'observation.channels: a name with its dtype for each part of the observation';
  return contractWidth(contract) === null ? 'action_contract.shape: [T, <numbers in an action>]' : null;
}

/** Numbers in one action; null when the contract does not fix it. */
function contractWidth({ action_contract: { shape } }: Contract): number | null {
  const width = shape[1];
  return typeof width === 'number' && width > 0 ? width : null;
}

/** The policy's input for a raw observation. Throws ADAPTER when it is not what the contract says. */
export function contractInput(contract: Contract, observation: WireMap, prompt: string): WireMap {
  const channels: Channels = observationSchema.parse(contract.observation).channels;
  const parts = Object.entries(channels).map(([name, channel]) => {
    const value = observation[name];
    if (!(value instanceof NdArray)) throw fault(`observation is missing the array ${name}`);
    const dtype = numpyName(value.dtype);
    if (dtype !== channel.dtype) throw fault(`observation ${name} is ${dtype}, not ${channel.dtype}`);
    if (channel.shape !== undefined && channel.shape.join() !== value.shape.join())
      throw fault(`observation ${name} is [${value.shape.join()}], not [${channel.shape.join()}]`);
    return [channel.policy_key ?? `observation/${name}`, value] as const;
  });
  return { ...Object.fromEntries(parts), prompt };
}

/** Throws ADAPTER when a chunk is not what the contract accepts. */
export function checkContractActions(contract: Contract, actions: NdArray, maxChunk: number): void {
  const width = contractWidth(contract);
  const [rows = 0, given] = actions.shape;
  if (given !== width)
    throw fault(`action shape mismatch: expected [T,${width}], got [${actions.shape.join()}]`);
  if (rows < 1 || rows > maxChunk) throw fault(`action chunk of ${rows} rows, expected 1 to ${maxChunk}`);
  if (!(actions.numbers() ?? [Number.NaN]).every(Number.isFinite)) throw fault('actions contain NaN or Inf');
}

function fault(message: string): RuntimeFailure {
  return new RuntimeFailure('ADAPTER', message);
}

const KINDS: Readonly<Record<string, string>> = { f: 'float', i: 'int', u: 'uint' };

/** `<f4` → `float32`, `|u1` → `uint8`, `|b1` → `bool`; as it is when it is none of them. */
function numpyName(dtype: string): string {
  const match = /^[<|=]([fiub])([1248])$/.exec(dtype);
  if (match === null) return dtype;
  const [, kind = '', bytes = ''] = match;
  return kind === 'b' ? 'bool' : `${KINDS[kind]}${Number(bytes) * 8}`;
}
