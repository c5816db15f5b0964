import * as fs from 'node:fs/promises';
import * as z from 'zod';
import { EXIT, RbError } from '../errors/rb-error.ts';
import { makeFolder } from '../journal/durable-lines.ts';
import type { Clock, Log } from '../platform/ports.ts';
import type { FileLock } from '../workspace/lock.ts';
import { errorCode, fileFailure } from '../workspace/problems.ts';
import { requireWorkspace } from '../workspace/workspace-folder.ts';
import { hostFolder } from './host-folder.ts';
import { tryLock } from './try-lock.ts';

/** How often a waiter says again whom it waits for. */
const REPORT_EVERY_MS = 30_000;

const holderSchema = z.object({ runId: z.string(), pid: z.int(), since: z.string() });
/** Who holds the lane. Nothing secret may enter it: every user of the host can read the file. */
export type LaneHolder = z.infer<typeof holderSchema>;

export interface LaneRequest {
  /** Absolute. */
  readonly workspace: string;
  readonly runId: string;
  /** Longest wait in milliseconds; 0 tries once. */
  readonly waitMs: number;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal?: AbortSignal;
}

/** The right to benchmark on this host, until `release`. The kernel frees it when the process dies. */
export interface Lane {
  readonly waitedMs: number;
  /** Who held it while we waited, null when nobody did. */
  readonly waitedFor: LaneHolder | null;
  release(): Promise<void>;
}

/**
 * Takes the lane (flock on `.host/lane`).
 * @throws RbError RB231, RB213 or RB219 when the workspace cannot be written to, RB401 with exit code 75 when another run keeps it for the whole wait; nothing was written then. The
 * signal's reason when it aborts first.
 */
export async function takeLane(request: LaneRequest): Promise<Lane> {
  const { clock, workspace } = request;
  const folder = hostFolder(workspace);
  const began = clock.now();
  await requireWorkspace(workspace);
  await makeHostFolder(folder.root);
  let waitedFor: LaneHolder | null = null;
  for (let round = 0; ; round += 1) {
    const slice = round === 0 ? 0 : Math.min(REPORT_EVERY_MS, began + request.waitMs - clock.now());
    // The first try does not wait, so that the first report comes at once.
    const lock = await tryLock(folder.lane, Math.max(0, slice), request.signal);
    if (lock !== null) {
      // For people only: a full disk must not keep `clean` from taking things out.
      await writeHolder(folder.holder, {
        runId: request.runId,
        pid: process.pid,
        since: new Date(clock.now()).toISOString(),
      }).catch(() => undefined);
      return { waitedMs: clock.now() - began, waitedFor, release: () => release(lock, folder.holder) };
    }
    waitedFor = (await readHolder(workspace)) ?? waitedFor;
    const waited = clock.now() - began;
    request.signal?.throwIfAborted();
    if (waited >= request.waitMs) throw busy(folder.lane, waited, waitedFor);
    request.log.info(`Waiting for the host: ${holderText(waitedFor)}; ${seconds(waited)} s so far.`);
  }
}

/** Who holds the lane, as the holder wrote it; null when nobody is known. The file may outlive its writer. */
export async function readHolder(workspace: string): Promise<LaneHolder | null> {
  try {
    const parsed = holderSchema.safeParse(
      JSON.parse(await fs.readFile(hostFolder(workspace).holder, 'utf8')),
    );
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
}

/** `run X (process 123, since …)` */
export function holderText(holder: LaneHolder | null): string {
  if (holder === null) return 'another benchmark holds it';
  return `run ${holder.runId} (process ${holder.pid}) holds it since ${holder.since}`;
}

async function makeHostFolder(folder: string): Promise<void> {
  try {
    await makeFolder(folder);
  } catch (error) {
    if (errorCode(error) === null) throw error;
    throw fileFailure(folder, 'make the folder', error);
  }
}

async function writeHolder(file: string, holder: LaneHolder): Promise<void> {
  await fs.writeFile(file, `${JSON.stringify(holder)}\n`);
}

async function release(lock: FileLock, holder: string): Promise<void> {
  await fs.rm(holder, { force: true });
  lock.release();
}

function busy(file: string, waitedMs: number, holder: LaneHolder | null): RbError {
  return new RbError(EXIT.busy, [
    {
      code: 'RB401',
      where: file,
      message: `The host is busy: ${holderText(holder)}. Waited ${seconds(waitedMs)} s, nothing was written.`,
      fix: 'Wait for that run, or raise `lane-wait`. `rollout-bench status` shows what it does.',
      severity: 'fatal',
    },
  ]);
}

function seconds(ms: number): string {
  return String(Math.round(ms / 1000));
}
