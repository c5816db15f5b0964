import * as z from 'zod';
import { readWithinNow } from '../../files/read-within.ts';
import { dumpYaml } from '../../workspace/dump-yaml.ts';
import { parseTargets, type TargetEntry } from '../../workspace/targets.ts';
import type { KnownTarget } from './attribute.ts';

const MAX_TARGETS_BYTES = 64 * 1024 * 1024;

const id = z.int().min(0);
const configSchema = z.object({ benchmark_name: z.string().min(1), task_id: id, init_state_id: id });
const suiteSchema = z.object({ benchmark_name: z.string().min(1) });

/** Keys of a config that say which episode, and not how it is measured. */
const CELL_KEYS: ReadonlySet<string> = new Set([
  'benchmark_name',
  'task_id',
  'init_state_id',
  'task_description',
]);

/**
 * The targets as they are now. Without a readable TARGETS.md none is known, which attributes less and never wrongly.
 * @param workspace absolute path.
 */
export function knownTargets(workspace: string): {
  readonly targets: ReadonlyMap<string, KnownTarget>;
  /** Why none is known; null when the document could be read. */
  readonly fault: string | null;
} {
  const reading = readWithinNow(workspace, ['TARGETS.md'], MAX_TARGETS_BYTES);
  if (reading.state !== 'present') {
    return { targets: new Map(), fault: reading.state === 'absent' ? 'there is none' : reading.reason };
  }
  const { document, problems } = parseTargets(reading.bytes.toString('utf8'));
  if (document === null) {
    return { targets: new Map(), fault: problems[0]?.message ?? 'it cannot be read' };
  }
  const known = document.map((target): [string, KnownTarget] => [target.id, knownTarget(target)]);
  // Of two entries of one id the runtime takes the first.
  return { targets: new Map(known.toReversed()), fault: null };
}

function knownTarget(target: TargetEntry): KnownTarget {
  const cell = configSchema.safeParse(target.config).data;
  const config = Object.fromEntries(
    Object.entries(target.config)
      .filter(([key]) => !CELL_KEYS.has(key))
      .toSorted(([left], [right]) => (left < right ? -1 : 1)),
  );
  const { targetClass, targetRuntime, targetAdapter, targetEndpoint } = target;
  return {
    isSimulation: target.targetKind === 'simulation',
    cell:
      cell === undefined
        ? null
        : { suite: cell.benchmark_name, taskId: cell.task_id, initStateId: cell.init_state_id },
    suite: suiteSchema.safeParse(target.config).data?.benchmark_name ?? null,
    endpoint: targetEndpoint,
    config,
    // YAML holds every value that the reader gives, unlike JSON.
    family: dumpYaml([targetClass, targetRuntime, targetAdapter, targetEndpoint, config]),
  };
}
