import * as path from 'node:path';
import * as z from 'zod';
import { canonicalDigest, canonicalJson } from '../../base/canonical-json.ts';
import { errorOf, RbError } from '../../errors/rb-error.ts';
import { readTextCapped } from '../../files/atomic-file.ts';
import { makeWhole } from '../../files/make-whole.ts';
import type { Approval, Reservation } from '../../model/approval.ts';
import type { Log } from '../../platform/ports.ts';
import type { Environment } from '../verb.ts';

const MAX_RECORD_BYTES = 64 * 1024;

const recordSchema = z.strictObject({
  approval: z.string(),
  /** Null where shards of one plan may run beside each other. */
  workspace: z.string().nullable(),
  suites: z.array(z.string()),
  /** Shards of the division; null: the whole. */
  shards: z.int().positive().nullable(),
});
type RunnerRecord = z.infer<typeof recordSchema>;

interface RunnerUse {
  readonly approval: Approval;
  readonly reservation: Pick<Reservation, 'shard'>;
  readonly suites: readonly string[];
  /** By `workspaceIdentity`. */
  readonly workspace: string;
  readonly env: Environment;
  readonly log: Log;
}

/**
 * Notes among the runner's own files which workspace uses an approval: the ledger of a workspace knows nothing of another
 * one on the same runner. The first who notes it has it; a right that is given back stays with its workspace. Without a
 * folder that can be written nothing is known, which the log says.
 * @throws RbError RB389 (exit 3) when the approval is used in another workspace, or for other suites or shards
 */
export async function noteOnRunner(use: RunnerUse): Promise<void> {
  const cache = use.env.RUNNER_TOOL_CACHE;
  if (cache === undefined || !path.isAbsolute(cache)) return;
  const folder = path.join(cache, 'rollout-bench', 'approvals');
  for (const { key, record } of recordsOf(use)) {
    const file = path.join(folder, `${canonicalDigest(key)}.json`);
    const text = `${canonicalJson(record)}\n`;
    const before = await noted(file, text).catch((error: unknown) => {
      if (error instanceof RbError) return error;
      throw error;
    });
    if (before instanceof RbError) {
      use.log.warning(
        `Whether another workspace of this runner uses the approval is not known: ${before.problems[0]?.message ?? ''}`,
      );
      return;
    }
    if (before !== text) throw usedElsewhere(use, before);
  }
}

/** What is in the record: this text, when nobody was before. */
async function noted(file: string, text: string): Promise<string> {
  return (await makeWhole(file, text)) ? text : readTextCapped(file, MAX_RECORD_BYTES);
}

/** A whole plan is one record; of a division the division is one, and each shard of it. */
function recordsOf({ approval, reservation, suites, workspace }: RunnerUse) {
  const { id } = approval;
  const { shard } = reservation;
  const common = { approval: id, suites: [...suites], shards: shard?.count ?? null };
  const records: { key: readonly unknown[]; record: RunnerRecord }[] = [
    { key: [id], record: { ...common, workspace: shard === null ? workspace : null } },
  ];
  if (shard !== null) records.push({ key: [id, shard.index], record: { ...common, workspace } });
  return records;
}

function usedElsewhere({ approval, workspace, suites }: RunnerUse, text: string): RbError {
  const before = recordSchema.safeParse(parseJson(text)).data;
  return errorOf('RB389', {
    where: `approval of ${suites.join(', ')}`,
    message: `another run on this runner has it: ${why(before, workspace, suites)}.`,
    value: approval.url,
    consequence: 'Nothing was queued.',
  });
}

function why(before: RunnerRecord | undefined, workspace: string, suites: readonly string[]): string {
  if (before === undefined) return 'its record cannot be read';
  if (canonicalJson(before.suites) !== canonicalJson(suites)) return `one of ${before.suites.join(', ')}`;
  if (before.workspace !== null && before.workspace !== workspace) return 'one in another workspace';
  return before.shards === null ? 'one of the whole plan' : `one in ${before.shards} shards`;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
