import * as z from 'zod';
import type { Problem } from '../../errors/rb-error.ts';
import { readWithinNow } from '../../files/read-within.ts';
import type { Reading } from '../../workspace/dialect.ts';
import { dumpYaml } from '../../workspace/dump-yaml.ts';
import { parseTargets, type TargetEntry } from '../../workspace/targets.ts';
import type { KnownTarget, KnownTargets } from './attribute.ts';

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
 * @param workspace absolute path. @param reading by which dialect's rules it is read.
 */
export function knownTargets(workspace: string, reading: Reading): KnownTargets {
  const file = readWithinNow(workspace, ['TARGETS.md'], MAX_TARGETS_BYTES);
  if (file.state !== 'present') {
    return { targets: new Map(), fault: file.state === 'absent' ? 'there is none' : file.reason };
  }
  const { document, problems } = parseTargets(file.bytes.toString('utf8'), reading);
  if (document === null) {
    return { targets: new Map(), fault: faultOf(problems) };
  }
  const known = document.map((target): [string, KnownTarget] => [target.id, knownTarget(target)]);
  // Of two entries of one id the runtime takes the first.
  return { targets: new Map(known.toReversed()), fault: null };
}

/** `RB205 TARGETS.md targets[0] (id x) foo: unknown key …`, without its full stop. */
function faultOf([first]: readonly Problem[]): string {
  if (first === undefined) return 'it cannot be read';
  return `the runtime refuses it: ${first.code} ${first.where}: ${first.message.replace(/\.$/, '')}`;
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
