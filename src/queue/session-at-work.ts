import * as path from 'node:path';
import { parseTargetEndpoint } from '../describe/endpoint.ts';
import { RbError } from '../errors/rb-error.ts';
import { readTextCapped } from '../files/atomic-file.ts';
import { MAX_DOCUMENT_BYTES } from '../workspace/document-limit.ts';
import { isMapping } from '../workspace/shape.ts';
import { parseTargets } from '../workspace/targets.ts';
import { atWork, type QueueEntry } from './machine/snapshot.ts';
import { OwnWatchdog } from './own-watchdog.ts';
import { readSessionsText } from './sessions-document.ts';

/**
 * The session that the watchdog is busy with on a server, e.g. `session_7 (running)`; null when none is. A left-over
 * entry is no work. Documents that cannot be read tell of none. Reads only.
 * @param endpoint of the target server; null: a session on whichever target counts.
 */
export async function sessionAtWork(
  workspace: string,
  endpoint: string | null,
  nowMs: number,
): Promise<string | null> {
  try {
    const text = await readDocument(workspace, 'SESSIONS.md');
    const snapshot = readSessionsText(text, await new OwnWatchdog(workspace).sessions(nowMs));
    const entry = atWork(snapshot, { nowMs, slowestTransitionMs: 0 });
    if (entry === null) return null;
    const used = endpoint === null ? null : await endpointOf(workspace, entry);
    if (endpoint !== null && used !== null && addressOf(used) !== addressOf(endpoint)) return null;
    return `${entry.id} (${entry.status})`;
  } catch (error) {
    if (error instanceof RbError) return null;
    throw error;
  }
}

function readDocument(workspace: string, file: string): Promise<string> {
  return readTextCapped(path.join(workspace, file), MAX_DOCUMENT_BYTES);
}

/** Where the session's target listens: its own routing decides, else TARGETS.md; null when neither tells. */
async function endpointOf(workspace: string, entry: QueueEntry): Promise<string | null> {
  const body = entry.body();
  const routing = isMapping(body) && isMapping(body.routing) ? body.routing : {};
  if (typeof routing.target_endpoint === 'string') return routing.target_endpoint;
  const { document } = parseTargets(await readDocument(workspace, 'TARGETS.md'));
  return document?.find(({ id }) => id === entry.target)?.targetEndpoint ?? null;
}

function addressOf(endpoint: string): string {
  const parsed = parseTargetEndpoint(endpoint);
  return parsed.ok ? parsed.url.replace('//localhost:', '//127.0.0.1:') : endpoint;
}
