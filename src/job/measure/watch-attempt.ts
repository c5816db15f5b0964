import * as path from 'node:path';
import { markerText, markFatal, markInterrupted, readMarkers } from '../../bundle/markers.ts';
import type { RunFacts } from '../../model/run-facts.ts';
import type { Settlement } from '../../model/settlement-facts.ts';
import { withCrashNote } from '../../platform/crash-notes.ts';
import { type HostFacts, hostFacts } from '../../platform/host-facts.ts';
import type { Clock, Log } from '../../platform/ports.ts';
import { stopSignalOf } from '../../platform/signals.ts';
import { hostRefusal } from '../../queue/host-refusal.ts';
import type { ExecutionEnd } from '../../queue/machine/job.ts';
import type { HostLoad } from '../../results/host-load.ts';
import type { OpenHost } from '../prepare/open-host.ts';
import { lookAtWorkspace, type WorkspaceLook } from '../prepare/workspace-look.ts';
import type { EarlierAttempt } from '../runs/attempt-folders.ts';
import { settlementBetween, settlementWarnings } from './settlement.ts';
import { type LoadWatch, underLoadWatch } from './watch-load.ts';

/** A program that saves a document in two steps is done with it by then. */
const LOOKS = 5;
const BETWEEN_LOOKS_MS = 200;

export interface WatchedAttempt {
  readonly host: OpenHost;
  readonly runId: string;
  readonly attempt: number;
  /** Absolute. */
  readonly bundleDir: string;
  /** Earlier attempts that this one continues. */
  readonly resume: readonly EarlierAttempt[];
  /** Cells that this attempt is to settle. */
  readonly planned: number;
  /** The workspace before the first write; null: nothing around this attempt is looked at. */
  readonly before: WorkspaceLook | null;
  readonly mask: (text: string) => string;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
}

/** Does a part of an attempt; a bug in it leaves `fatal.json`, a refusal of the host does not. */
export function guardAttempt<T>(watched: WatchedAttempt, work: () => Promise<T>): Promise<T> {
  const { bundleDir, runId, attempt, clock, mask } = watched;
  return withCrashNote((error) => {
    if (hostRefusal(error) !== null) return;
    markFatal(bundleDir, { runId, attempt, at: new Date(clock.now()).toISOString() }, error, mask);
  }, work);
}

/** What was seen around an attempt. */
export interface Surroundings {
  readonly startedAt: string;
  readonly machine: HostFacts;
  readonly load: HostLoad;
  /** The workspace before the first write. */
  readonly look: WorkspaceLook;
  readonly ended: EndFacts;
}

/**
 * Does the sessions of an attempt while host and workspace are looked at beside it; null where they are not.
 * @param took told how long the sessions took, in milliseconds.
 */
export async function lookedAround(
  watched: WatchedAttempt,
  execute: (watch: LoadWatch | null) => Promise<ExecutionEnd>,
  took: (ms: number) => void,
): Promise<{ readonly end: ExecutionEnd; readonly seen: Surroundings | null }> {
  const { before: look, clock } = watched;
  if (look === null) return { end: await guardAttempt(watched, () => execute(null)), seen: null };
  const startedAt = new Date(clock.now()).toISOString();
  // Before the first episode: afterwards the simulator's own memory would count, and an interrupted run has no time.
  const machine = await hostFacts();
  const began = clock.now();
  const { result: end, load } = await underLoadWatch({ clock, gpus: machine.gpus }, (watch) =>
    guardAttempt(watched, () => execute(watch)),
  );
  took(clock.now() - began - end.waits.yieldedMs);
  const ended = await endAttempt(watched, look, end);
  return { end, seen: { startedAt, machine, load, look, ended } };
}

/** What an attempt's end adds to the facts of its run. */
type EndFacts = Required<Pick<RunFacts, 'settlement' | 'warnings'>>;

/**
 * What is to be said of an attempt when its last session is dealt with: a marker when it was interrupted, how the
 * workspace was left, and how the attempts before it ended.
 */
async function endAttempt(
  watched: WatchedAttempt,
  before: WorkspaceLook,
  end: ExecutionEnd,
): Promise<EndFacts> {
  for (const id of end.leftRunning)
    watched.log.warning(
      `Session ${id} is still in the queue; a later run or \`clean\` takes it out once the watchdog is done with it.`,
    );
  if (end.end === 'interrupted') await leaveMarker(watched, end);
  const settlement = await settlementOf(watched, before);
  const changes = settlementWarnings(settlement);
  for (const text of changes) watched.log.warning(text);
  for (const { concerns, what, names } of settlement.changes) {
    if (concerns === 'measured') watched.log.error(`What is measured changed during the run: ${what}.`);
    else if (names.length > 0) watched.log.info(`${what}: ${names.join(', ')}`);
  }
  return { settlement, warnings: [...changes, ...(await earlierEnds(watched))] };
}

async function leaveMarker(watched: WatchedAttempt, end: ExecutionEnd): Promise<void> {
  const { bundleDir, runId, attempt, planned, clock, signal } = watched;
  const left = new Set(end.leftRunning);
  await markInterrupted(bundleDir, {
    runId,
    attempt,
    at: new Date(clock.now()).toISOString(),
    signal: stopSignalOf(signal),
    leftBehind: end.sessions
      .filter(({ sessionId }) => left.has(sessionId))
      .map(({ sessionId, phase }) => ({ sessionId, state: phase })),
    kept: end.sessions.filter(({ files }) => files.length > 0).length,
    planned,
  });
}

async function settlementOf(
  { host, clock, signal }: WatchedAttempt,
  before: WorkspaceLook,
): Promise<Settlement> {
  for (let looks = 1; ; looks += 1) {
    const settlement = settlementBetween(host, before, await lookAtWorkspace(host));
    if (settlement.measuredUnchanged === true || looks === LOOKS || signal.aborted) return settlement;
    await clock.sleep(BETWEEN_LOOKS_MS, signal);
  }
}

async function earlierEnds({ resume }: WatchedAttempt): Promise<string[]> {
  const said: string[] = [];
  for (const { attempt, bundleDir } of resume) {
    const text = markerText(await readMarkers(path.dirname(bundleDir), [path.basename(bundleDir)]));
    if (text !== null) said.push(`This attempt continues attempt ${attempt}, which was ${text}.`);
  }
  return said;
}
