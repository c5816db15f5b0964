import { createJournal } from '../journal/journal.ts';
import { refuseFenced } from '../lane/fence.ts';
import { hostFolder } from '../lane/host-folder.ts';
import { openLedger } from '../lane/ledger.ts';
import { JOURNAL_SCHEMA_ID } from '../model/journal-events.ts';
import { isFinished } from './admission.ts';
import { admissionsWithin, capHalt, considerCaps, startCapWatch } from './caps.ts';
import { type CellTarget, cellTargetFor } from './cell-target.ts';
import { requireDistinctTargets } from './distinct-targets.ts';
import type { QueueDocuments } from './documents.ts';
import { cellAt } from './entries.ts';
import { type Execution, type ExecutionEnd, type ExecutionInput, type Meters, record } from './execution.ts';
import { askWhyQuiet } from './explain.ts';
import { considerFence } from './fence-host.ts';
import { finish } from './finish.ts';
import { type Halt, haltReason } from './halt.ts';
import { hostRefusal } from './host-refusal.ts';
import { look } from './look.ts';
import { considerPause, noPause, type PauseVerdict } from './pause.ts';
import { createProgress } from './progress.ts';
import { recover } from './recover.ts';
import { RunMemory } from './run-memory.ts';
import { restoreCellTargets } from './standing-targets.ts';
import { considerStop, isStoppedClean, notStopping } from './stop-early.ts';
import { turn } from './turn.ts';
import { openDocuments } from './workspace-documents.ts';

/** Longest sleep between two looks: for clocks (timeouts, probes), since the watch reports changes at once. */
const TICK_MS = 1_000;
/** A stopped run admits nothing and asks nobody. */
const HOLD: PauseVerdict = { kind: 'hold' };

/**
 * Executes a plan on the simulation host: queues its cells a few at a time, waits for the watchdog, archives each
 * session's evidence, takes our entries out again. The lane must be held. Everything is journaled first, so a crash at
 * any point is mended by the next attempt (`resume`) or by a sweep.
 * @throws RbError RB375 or RB409 fenced host, RB402 attempt folder in use, RB403 unreadable journal of an earlier attempt, RB404 cell target id
 * taken, RB2xx documents that cannot be edited.
 */
export async function executePlan(input: ExecutionInput): Promise<ExecutionEnd> {
  await refuseFenced(input.workspace);
  const documents = openDocuments(input.workspace);
  try {
    const execution = await open(input, documents);
    try {
      return await finish(execution, await haltOrFailure(execution));
    } finally {
      execution.pause.inquiry?.cancel();
      await execution.journal.close();
      await execution.ledger.close();
    }
  } finally {
    documents.close();
  }
}

/**
 * A refusal in the middle of a run (a full disk, a document that cannot be edited) ends it like any other stop: what is
 * finished is kept, what is pending is taken back. A bug is thrown on; the ledger knows what to sweep.
 */
async function haltOrFailure(execution: Execution): Promise<Halt | null> {
  try {
    await recover(execution);
    return await untilDone(execution);
  } catch (error) {
    const reason = hostRefusal(error);
    if (reason === null || execution.memory.sessions.size === 0) throw error;
    return { end: 'incomplete', reason };
  }
}

async function open(input: ExecutionInput, documents: QueueDocuments): Promise<Execution> {
  const now = () => input.clock.now();
  const journal = await createJournal(input.bundleDir, now, input.mask);
  const ledger = await openLedger(hostFolder(input.workspace).ledger, now);
  const execution: Execution = {
    input,
    journal,
    ledger,
    documents,
    memory: new RunMemory(input.attempt),
    targets: cellTargets(input),
    archivedEntries: new Map(),
    changedEntries: new Set(),
    returned: new Set(),
    standingTargets: new Map(),
    pause: noPause(),
    stopping: notStopping(),
    capWatch: startCapWatch(now()),
    meters: startMeters(now()),
    warnings: [],
  };
  const { runId, attempt, planDigest, lane, primer, plan, bundleDir } = input;
  await ledger.append({ type: 'run', runId, attempt, bundleDir });
  await record(
    execution,
    {
      type: 'started',
      schema: JOURNAL_SCHEMA_ID,
      runId,
      attempt,
      planDigest,
      suite: plan.suite,
      resumes: input.resume.map((earlier) => earlier.attempt),
      identity: { ...input.identity },
    },
    { type: 'lane', waitedMs: lane.waitedMs, holder: lane.waitedFor },
  );
  if (primer !== null) await record(execution, { type: 'primer', ...primer, suite: plan.suite });
  return execution;
}

function cellTargets(input: ExecutionInput): ReadonlyMap<number, CellTarget> {
  const targets = new Map(
    input.positions.map((position) => [
      position,
      cellTargetFor(input.base, input.plan, cellAt(input, position)),
    ]),
  );
  requireDistinctTargets(input.plan, targets);
  return targets;
}

function startMeters(nowMs: number): Meters {
  return {
    beganMs: nowMs,
    foreignMs: 0,
    pausedMs: 0,
    lockMs: 0,
    slowestTransitionMs: 0,
    lastMoveMs: nowMs,
    latestStampMs: null,
    lastLookMs: nowMs,
    foreignRan: false,
    lastWorking: null,
    diagnosis: { askedMs: 0, answer: null },
  };
}

/** The main loop: look, follow, stop or go on, change the queue, wait. Null when every cell is done. */
async function untilDone(execution: Execution): Promise<Halt | null> {
  const { input, memory, documents } = execution;
  const progress = createProgress(execution);
  for (;;) {
    const view = await look(execution);
    await askWhyQuiet(execution, view);
    progress.report(view);
    const halt = haltReason(execution, view);
    if (halt !== null) return considerFence(execution, view, halt);
    const readable = view.snapshot.fault === null;
    const stopping = readable && (await considerStop(execution));
    const capped = readable && (await considerCaps(execution));
    const pause = stopping || capped ? HOLD : await considerPause(execution);
    if (pause.kind === 'give_up') {
      const { reason, cure } = pause;
      return { end: 'incomplete', reason, ...(cure === undefined ? {} : { cure }) };
    }
    if (readable) {
      await restoreCellTargets(execution);
      const admit = pause.kind === 'admit' ? admissionsWithin(execution) : [];
      await turn(execution, view.snapshot, admit);
    }
    if (isStoppedClean(execution) || isFinished(memory, input.positions, input.settings)) return null;
    const full = await capHalt(execution);
    if (full !== null) return full;
    await documents.change(TICK_MS, input.signal);
  }
}
