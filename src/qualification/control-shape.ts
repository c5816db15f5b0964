import { isRecord } from '../base/guards.ts';

/** Longest chunk that a control sends; short enough for every target. */
const MAX_CHUNK = 10;
/** What the runtime takes where neither the target's config nor its contract says how wide an action is and how long a chunk. */
const RUNTIME_WIDTH = 7;
const RUNTIME_CHUNK = 4;

/** Numbers in one action of a control's answer, and actions in one answer. */
interface ControlShape {
  readonly actionDim: number;
  readonly chunk: number;
}

/**
 * The target's own width: as the plan's config has it, else by `action_contract.shape` of its contract. Pure.
 * @param contract the contract file as it stands.
 */
export function controlShape(config: Readonly<Record<string, unknown>>, contract: unknown): ControlShape {
  const { action_dim: dim, max_chunk_size: chunk } = config;
  return {
    actionDim: count(dim) ?? widthOf(contract) ?? RUNTIME_WIDTH,
    chunk: Math.min(MAX_CHUNK, count(chunk) ?? RUNTIME_CHUNK),
  };
}

function widthOf(contract: unknown): number | null {
  const action = isRecord(contract) ? contract['action_contract'] : null;
  const shape = isRecord(action) ? action['shape'] : null;
  return Array.isArray(shape) ? count(shape[1]) : null;
}

function count(value: unknown): number | null {
  return typeof value === 'number' && Number.isInteger(value) && value > 0 ? value : null;
}
