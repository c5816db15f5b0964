import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import type { Claim } from '../../lane/watchdog-record.ts';
import { augustResult, type SessionResult } from '../result-schema.ts';
import { readYaml } from '../runtime-document.ts';
import type { Session } from '../session-schema.ts';
import { isWorking } from './foreign-moves.ts';
import type { QueueEntry } from './queue-entries.ts';
import { failed, HOST_CODES, moved } from './session-end.ts';

/** Larger ones are those of the runtime's late timeouts; this host writes none. */
const MAX_EPISODE_BYTES = 16 * 1024 * 1024;

/**
 * What becomes of the entries that an earlier host left at work. Its episode had ended when episode.json is there, which is
 * written whole and before the entry: then the result stands. All others are failed with a code of their own, and never
 * run again.
 */
export function recovered(
  workspace: string,
  claims: readonly Claim[],
  entries: readonly QueueEntry[],
): ReadonlyMap<number, Session> {
  const sessions = new Map<number, Session>();
  for (const claim of claims) {
    const entry = entries.find(({ id }) => id === claim.sessionId);
    const session = entry?.session ?? null;
    if (entry === undefined || session === null || !isWorking(session.status)) continue;
    if (session.claim_token !== claim.token) continue;
    sessions.set(entry.index, ended(session, finishedResult(workspace, claim)));
  }
  return sessions;
}

function ended(session: Session, result: SessionResult | null): Session {
  if (result === null) {
    const message = 'the host that ran this session ended before the session did';
    return failed(session, { code: HOST_CODES.interrupted, message }, true);
  }
  return moved(session, endStatus(result), result);
}

/** Status of an entry whose episode has this result. */
export function endStatus({ status }: SessionResult): 'succeeded' | 'timed_out' | 'failed' {
  return status === 'succeeded' || status === 'timed_out' ? status : 'failed';
}

const { status, success, num_steps, return_value, error_code, error_message, execution, metadata } =
  augustResult.shape;
const episodeSchema = z.object({
  session_id: z.string(),
  policy_latency_ms: z.object({ mean: augustResult.shape.mean_policy_latency_ms }),
  verification: augustResult.shape.verification,
  ...{ status, success, num_steps, return_value, error_code, error_message, execution, metadata },
});

/** The result in an episode.json that was written under this claim; null when there is none. */
function finishedResult(workspace: string, { sessionId, atMs }: Claim): SessionResult | null {
  const folder = `artifacts/runtime/${sessionId}`;
  const file = join(workspace, folder, 'episode.json');
  try {
    const { mtimeMs, size } = statSync(file);
    if (mtimeMs < atMs || size > MAX_EPISODE_BYTES) return null;
    // As YAML, which it is as well: floats stay floats.
    const episode = episodeSchema.safeParse(readYaml(readFileSync(file, 'utf8')));
    if (!episode.success || episode.data.session_id !== sessionId) return null;
    const { session_id: _id, policy_latency_ms: latency, ...fields } = episode.data;
    return {
      ...augustResult.parse({}),
      ...fields,
      mean_policy_latency_ms: latency.mean,
      artifact_dir: folder,
    };
  } catch {
    return null;
  }
}
