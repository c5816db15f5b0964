import * as z from 'zod';
import { readWithinNow } from '../../outcome/read-within.ts';
import { parseTargets } from '../../workspace/targets.ts';
import type { KnownTarget } from './attribute.ts';

const MAX_TARGETS_BYTES = 64 * 1024 * 1024;

const id = z.int().min(0);
const configSchema = z.object({ benchmark_name: z.string().min(1), task_id: id, init_state_id: id });

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
  const known = document.map((target): [string, KnownTarget] => {
    const config = configSchema.safeParse(target.config);
    const cell = config.success
      ? {
          suite: config.data.benchmark_name,
          taskId: config.data.task_id,
          initStateId: config.data.init_state_id,
        }
      : null;
    return [target.id, { isSimulation: target.targetKind === 'simulation', cell }];
  });
  // Of two entries of one id the runtime takes the first.
  return { targets: new Map(known.toReversed()), fault: null };
}
