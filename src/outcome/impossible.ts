import type { SessionEvidence } from './evidence.ts';

/** Ids of what ran: whole numbers, negative ones included, since the simulator takes them as Python does. */
const IDS = ['task_id', 'init_state_id'] as const;
const COUNTS = ['target_step_index', 'num_action_chunks', 'num_steps'] as const;

/**
 * Values that are there and cannot be: a task of 1.5 or of 1e999, minus four steps. What nobody can have measured is no
 * unknown, and evidence that holds it is not believed in the rest either. What is no number stays unknown: Python writes
 * such. Pure.
 */
export function impossibleValues({ session, log, episode }: SessionEvidence): readonly string[] {
  const body = episode.state === 'present' ? episode.value : null;
  const places: readonly (readonly [string, unknown])[] = [
    ['SESSIONS.md result', at(session, 'result')],
    ['LOG.md', log],
    ['episode.json', body],
    ['episode.json benchmark', at(body, 'benchmark')],
    ...[session, body].flatMap((whole) => {
      const status = at(at(whole === session ? at(session, 'result') : whole, 'metadata'), 'final_status');
      return [
        ['final_status', status],
        ['final_status.episode_summary', at(status, 'episode_summary')],
        ['final_status.libero', at(status, 'libero')],
      ] as const;
    }),
  ];
  return places.flatMap(([where, value]) => [
    ...IDS.filter((key) => isNoWhole(at(value, key))).map((key) => told(where, key, at(value, key))),
    ...COUNTS.filter((key) => isNoCount(at(value, key))).map((key) => told(where, key, at(value, key))),
  ]);
}

function at(value: unknown, key: string): unknown {
  if (typeof value !== 'object' || value === null) return null;
  return Object.getOwnPropertyDescriptor(value, key)?.value;
}

function isNoWhole(value: unknown): boolean {
  return typeof value === 'number' && !Number.isNaN(value) && !Number.isInteger(value);
}

function isNoCount(value: unknown): boolean {
  if (typeof value === 'bigint') return value < 0;
  return isNoWhole(value) || (typeof value === 'number' && value < 0);
}

function told(where: string, key: string, value: unknown): string {
  return `${key}: ${where} says ${String(value)}, which cannot be`;
}
