import * as path from 'node:path';
import { EXIT, type ExitCode } from '../errors/rb-error.ts';
import { readTextCapped } from '../files/atomic-file.ts';
import { qualificationStandings } from '../job/authorize/standings.ts';
import { lastRunText, wayOnOf } from '../job/runs/last-run.ts';
import type { WayOn } from '../job/runs/way-on.ts';
import type { VerbContext } from '../job/verb.ts';
import { holderText, waiterText } from '../lane/lane-holder.ts';
import { type Standing, standingText } from '../qualification/standing.ts';
import { type HostStatus, hostStatus } from '../queue/host-status.ts';
import { readSessionsText } from '../queue/sessions-document.ts';
import { type WorkspaceDialect, workspaceDialect } from '../queue/workspace-dialect.ts';
import { type Dialect, readingText } from '../workspace/dialect.ts';
import { MAX_DOCUMENT_BYTES } from '../workspace/document-limit.ts';
import { requireRuntimeWorkspace } from '../workspace/workspace-folder.ts';
import { fenceText } from './fence-text.ts';

/** `status`: who has the host, what is queued, what of it is ours. Changes nothing. */
export async function status(verb: VerbContext): Promise<ExitCode> {
  const workspace = path.resolve(verb.inputs.workspace ?? '.');
  await requireRuntimeWorkspace(workspace);
  const nowMs = verb.clock.now();
  const found = await hostStatus(workspace, nowMs);
  const runtime = await dialectHere(workspace, verb.inputs.dialect);
  const { unfinished } = found;
  const way = unfinished === null ? null : await wayOnOf(workspace, unfinished, verb.signal);
  const qualifications = await qualificationStandings(workspace);
  verb.stdout(
    verb.json
      ? `${JSON.stringify({ runtime, ...found, qualifications }, null, 2)}\n`
      : `${runtimeLine(runtime)}${statusText(found, way)}${qualifications.map((each) => qualifiedLine(each, nowMs)).join('')}`,
  );
  return EXIT.ok;
}

/** The status in words. Pure. */
export function statusText(
  { lane, fence, queue, ours, unfinished }: HostStatus,
  way: WayOn | null = null,
): string {
  const working =
    queue.working === null
      ? 'nothing runs'
      : `${queue.working.id} is ${queue.working.status}${queue.working.since === null ? '' : ` since ${queue.working.since}`}`;
  const lines = [
    `Lane:  ${lane.held ? holderText(lane.holder) : 'free'}`,
    ...lane.waiting.map((waiter, index) => `Waits: ${index + 1}. ${waiterText(waiter)}`),
    ...(fence.kind === 'none' ? [] : [`Fence: ${fenceText(fence)}`]),
    queue.fault === null
      ? `Queue: ${queue.pending} pending, ${queue.terminal} finished, ${queue.bytes} bytes; ${working}`
      : `Queue: SESSIONS.md cannot be read: ${queue.fault}`,
  ];
  if (queue.leftOver.length > 0)
    lines.push(`Left over by a watchdog that ended: ${queue.leftOver.join(', ')}`);
  for (const session of ours.sessions) {
    lines.push(`Ours:  ${session.id} ${session.status ?? 'not in SESSIONS.md'}`);
  }
  if (ours.cellTargets.length > 0) lines.push(`Cell targets: ${ours.cellTargets.join(', ')}`);
  if (unfinished !== null) lines.push(`Last:  ${lastRunText(unfinished, way)}`);
  if (ours.sessions.length + ours.cellTargets.length === 0) lines.push('Ours:  nothing');
  return `${lines.join('\n')}\n`;
}

async function dialectHere(workspace: string, chosen: Dialect | null): Promise<WorkspaceDialect> {
  const text = await readTextCapped(path.join(workspace, 'SESSIONS.md'), MAX_DOCUMENT_BYTES);
  return workspaceDialect(workspace, readSessionsText(text), chosen);
}

function runtimeLine({ reading, may }: WorkspaceDialect): string {
  const said = may === null ? readingText(reading) : `May or early June 2026, which is not supported: ${may}`;
  return `Dialect of the runtime: ${said}\n`;
}

function qualifiedLine(standing: Standing, nowMs: number): string {
  const { target, skillruntime } = standing;
  return `Qualification: ${standingText(standing, nowMs)}; ${target} with ${skillruntime}\n`;
}
