import * as fs from 'node:fs/promises';
import * as path from 'node:path';
import { raiseFence } from '../lane/fence.ts';
import type { QueueEntry } from './machine/snapshot.ts';
import { stuckText } from './machine/stuck.ts';

/** When SESSIONS.md and LOG.md were last changed by anybody, as `Moment` has it. */
export async function changedMs(workspace: string): Promise<readonly (number | null)[]> {
  const changed = (name: string): Promise<number | null> =>
    fs.lstat(path.join(workspace, name)).then(
      ({ mtimeMs }) => mtimeMs,
      () => null,
    );
  return [await changed('SESSIONS.md'), await changed('LOG.md')];
}

/** Fences the host over a session of a run. The lane must be held. */
export async function fenceOver(
  workspace: string,
  stuck: QueueEntry,
  { runId, nowMs }: { readonly runId: string; readonly nowMs: number },
): Promise<void> {
  const { id: sessionId, status, updatedAt: since } = stuck;
  const at = new Date(nowMs).toISOString();
  await raiseFence(workspace, { at, runId, sessionId, status, since, reason: stuckText(stuck) });
}
