import { hostFolder } from '../lane/host-folder.ts';
import type { Clock, Log } from '../platform/ports.ts';
import { redactor, secretsOf } from '../screen/secrets.ts';
import { endPolicy } from './end-policy.ts';
import { tellsProcesses } from './proc.ts';
import { dropHalves, dropRecord, type LeftRecord, leftRecords } from './record.ts';

interface LeftRequest {
  /** Absolute; the lane must be held, so that whatever is recorded belongs to nobody at work. */
  readonly workspace: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly log: Log;
}

/** Ends the policies of runs that were killed, and forgets them. One that cannot be ended stays on record. */
export async function endLeftPolicies(request: LeftRequest): Promise<void> {
  const folder = hostFolder(request.workspace).policies;
  await dropHalves(folder);
  const left = await leftRecords(folder);
  if (left.length === 0 || !tellsProcesses()) return;
  await Promise.all(left.map((each) => endLeft(folder, each, request)));
}

async function endLeft(folder: string, { token, record }: LeftRecord, request: LeftRequest): Promise<void> {
  const { env, clock, log } = request;
  const whose = record === null ? 'policy of an earlier run' : `${record.arm} policy of run ${record.runId}`;
  log.info(`Ending what is left of the ${whose}.`);
  const mask = redactor(secretsOf(env));
  const marked = { token, group: record?.group ?? null, place: record };
  if (await endPolicy({ ...marked, record, whose, pace: 'calm', env, mask, clock, log }))
    await dropRecord(folder, token);
}
