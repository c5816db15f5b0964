import * as path from 'node:path';
import { EXIT, type ExitCode, errorOf } from '../errors/rb-error.ts';
import { makeFolder } from '../files/durable-lines.ts';
import type { FileLock } from '../files/lock.ts';
import type { ServiceEvent } from '../host/service/events.ts';
import { Watchdog } from '../host/watchdog.ts';
import type { VerbContext } from '../job/verb.ts';
import { hostFolder } from '../lane/host-folder.ts';
import { tryLock } from '../lane/try-lock.ts';
import { readWatchdogRecord } from '../lane/watchdog-record.ts';
import { requireRuntimeWorkspace } from '../workspace/workspace-folder.ts';
import { hostLine } from './host/host-lines.ts';
import { hostOptions } from './host/host-options.ts';
import { runService } from './host/own-watchdog.ts';

/**
 * `host`: our own watchdog on a workspace, until a signal. In mode `service` SIGTERM lets what runs end, and a second one
 * cancels it. Nothing but the watchdog is started. Exit 75 while another host has the workspace, or (with `--once`) when
 * another watchdog was found there.
 */
export async function host(verb: VerbContext): Promise<ExitCode> {
  const options = hostOptions(verb.options);
  const workspace = path.resolve(verb.inputs.workspace ?? '.');
  await requireRuntimeWorkspace(workspace);
  const lock = await takeLock(workspace);
  try {
    if (options.mode === 'faithful') return await faithful(verb, workspace);
    const stopped = await runService(verb, { workspace, options, report: reporter(verb) });
    return stopped === null ? EXIT.ok : EXIT.busy;
  } finally {
    lock.release();
  }
}

async function takeLock(workspace: string): Promise<FileLock> {
  const { root, watchdogLock } = hostFolder(workspace);
  await makeFolder(root);
  const lock = await tryLock(watchdogLock, 0);
  if (lock !== null) return lock;
  const record = await readWatchdogRecord(workspace);
  const who = record === null || record === 'unreadable' ? 'another process' : `process ${record.pid}`;
  throw errorOf('RB960', {
    where: watchdogLock,
    message: `${who} is the host of this workspace.`,
    fix: 'End that one first; one watchdog works on a workspace.',
  });
}

function reporter(verb: VerbContext): (event: ServiceEvent) => void {
  const { clock, json, log, stdout } = verb;
  return (event) => {
    const at = new Date(clock.now()).toISOString();
    const { level, text } = hostLine(event);
    // A program reads every event; a person who watches it still sees what went wrong.
    if (json) stdout(`${JSON.stringify({ at, ...event })}\n`);
    if (!json || level === 'error') log[level](`${at.slice(0, 19)}Z ${text}`);
  };
}

/** The original's watchdog with all its defects, until a signal or a document ends it. */
async function faithful(verb: VerbContext, workspace: string): Promise<ExitCode> {
  const watchdog = new Watchdog({
    workspace,
    fsync: true,
    onTransition: (sessionId, status) =>
      verb.json
        ? verb.stdout(`${JSON.stringify({ event: 'status', sessionId, status })}\n`)
        : verb.log.info(`${sessionId} is ${status}`),
  });
  watchdog.start();
  while (watchdog.isAlive && !verb.signal.aborted) await verb.clock.sleep(100, verb.signal);
  const { crash } = watchdog;
  await watchdog.stop();
  if (crash === null) return EXIT.ok;
  throw errorOf('RB961', {
    where: workspace,
    message: `the watchdog has ended: ${crash.pythonName}: ${crash.message.slice(0, 2000)}`,
    fix: 'Mend the document, or leave out --mode faithful.',
  });
}
