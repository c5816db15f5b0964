import { isRecord } from '../base/guards.ts';
import { type Problem, problemOf } from '../errors/rb-error.ts';
import { isCellTarget } from './ids.ts';
import type { TargetFacts } from './pairs.ts';

/** The runtime's chunk limit when no key it reads is set. */
const DEFAULT_CHUNK_LIMIT = 4;

/** Keys that a LIBERO server keeps from the last session that sent them. */
const STICKY_KEYS = ['max_steps', 'num_steps_wait', 'record_dir', 'record_fps'];

/**
 * What about the user's targets would mislead a benchmark, or those who use the host after it.
 * @param cellConfig the config that our cell targets carry.
 */
export function targetWarnings(
  target: TargetFacts,
  all: readonly TargetFacts[],
  cellConfig: Readonly<Record<string, unknown>>,
): Problem[] {
  return [...chunkTrap(target), ...cameraSize(target), ...inheritors(target, all, cellConfig)];
}

function chunkTrap({ id, config }: TargetFacts): Problem[] {
  const action = isRecord(config.action) ? config.action : {};
  const limit = action.max_chunk_size ?? config.chunk_size ?? action.chunk_size;
  if (limit !== undefined || config.max_chunk_size === undefined) return [];
  return [
    problemOf('RB310', {
      where: `TARGETS.md ${id} config.max_chunk_size`,
      message: `the runtime does not read this key and limits chunks to ${DEFAULT_CHUNK_LIMIT}.`,
      value: String(config.max_chunk_size),
      fix: `Add config.action.max_chunk_size: ${String(config.max_chunk_size)}. Our cell targets carry it already.`,
      consequence:
        'Your own sessions on this target fail with ADAPTER when the policy answers longer chunks.',
    }),
  ];
}

function cameraSize({ id, config }: TargetFacts): Problem[] {
  if (typeof config.benchmark_name !== 'string' || !config.benchmark_name.startsWith('libero')) return [];
  const missing = ['camera_height', 'camera_width'].filter((key) => config[key] === undefined);
  if (missing.length === 0) return [];
  return [
    problemOf('RB312', {
      where: `TARGETS.md ${id} config`,
      message: `${missing.join(' and ')} is not set; the runtime's default applies and is not in the plan.`,
      consequence: 'Two runs with equal plan digests may have seen different images.',
    }),
  ];
}

function inheritors(
  target: TargetFacts,
  all: readonly TargetFacts[],
  cellConfig: Readonly<Record<string, unknown>>,
): Problem[] {
  const endpoint = target.runtime.target_endpoint;
  if (endpoint === null || endpoint === undefined) return [];
  const ours = STICKY_KEYS.filter((key) => cellConfig[key] !== undefined);
  return all
    .filter((other) => other.runtime.target_endpoint === endpoint && !isCellTarget(other.id))
    .flatMap((other) => {
      const lacking = ours.filter((key) => other.config[key] === undefined);
      if (lacking.length === 0) return [];
      const problem: Problem = problemOf('RB311', {
        where: `TARGETS.md ${other.id} config`,
        message: `lacks ${lacking.join(', ')}, which the server keeps from the benchmark's sessions.`,
        fix: `Set ${lacking.join(', ')} at ${other.id}.`,
        consequence: 'Sessions on this target run with our values until another session sets them.',
      });
      return [problem];
    });
}
