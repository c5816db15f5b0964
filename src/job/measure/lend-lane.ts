import { stableJson } from '../../base/stable-json.ts';
import { describeTarget } from '../../describe/client.ts';
import type { TargetDescription } from '../../describe/description.ts';
import { errorOf } from '../../errors/rb-error.ts';
import { holderName } from '../../lane/lane-holder.ts';
import type { Arm } from '../../model/plan.ts';
import type { Lends } from '../../queue/execution.ts';
import { hostRefusal } from '../../queue/host-refusal.ts';
import { COLD_MS, CONNECT_MS } from '../prepare/ask-server.ts';
import { describedOrNot } from '../prepare/discover.ts';
import { isLeftAtBadTask, untilTargetAnswers } from '../prepare/target-answers.ts';
import { lookAtWorkspace, type WorkspaceLook } from '../prepare/workspace-look.ts';
import type { LaneLoan, PlanToMeasure } from './measured-plan.ts';
import { measuredChanges } from './settlement.ts';
import { settleHost } from './take-host.ts';
import type { LoadWatch } from './watch-load.ts';

/** A program that saves a document in two steps is done with it by then. */
const LOOKS = 5;
const BETWEEN_LOOKS_MS = 200;

/**
 * The lane of a run as something that is lent between two episodes; null where it is kept to the end.
 * @param before the workspace before the run wrote anything.
 */
export function lendingOf(
  request: PlanToMeasure,
  before: WorkspaceLook | null,
  watch: LoadWatch | null,
): Lends | null {
  const { lane, loan } = request;
  if (loan === undefined || before === null) return null;
  return {
    async wanted() {
      const next = await lane.wanted();
      return next === null ? null : `${holderName(next)} of purpose ${next.purpose ?? 'unknown'}`;
    },
    async giveWay(signal) {
      watch?.isAway(true);
      const awake = (await loan.arms?.restAll(signal)) ?? [];
      const yieldedMs = await lane.giveWay(signal).catch((error: unknown) => {
        if (signal.aborted) return null;
        throw error;
      });
      if (yieldedMs === null) return null;
      const began = request.clock.now();
      const refusal = await refusalOf(() => comeBack(request, { loan, before, awake, signal }), signal);
      watch?.isAway(false);
      return { yieldedMs: yieldedMs + request.clock.now() - began, refusal };
    },
  };
}

/** Null when it went well; an interruption is told by its signal. */
async function refusalOf(work: () => Promise<void>, signal: AbortSignal): Promise<string | null> {
  try {
    await work();
    return null;
  } catch (error) {
    if (signal.aborted) return null;
    const reason = hostRefusal(error);
    if (reason === null) throw error;
    return reason;
  }
}

interface Return {
  readonly loan: LaneLoan;
  readonly before: WorkspaceLook;
  /** Arms whose policies ran before. */
  readonly awake: readonly Arm[];
  readonly signal: AbortSignal;
}

/** Policies that others serve are asked by the run itself, before it queues anything. */
async function comeBack(request: PlanToMeasure, { loan, before, awake, signal }: Return): Promise<void> {
  const { host, runId, inputs, clock, log } = request;
  const { workspace } = host;
  await settleHost({ workspace, runIds: [runId], inputs, env: loan.env, clock, log, signal });
  await requireSameDocuments(request, before, signal);
  await requireSameTarget(request, signal);
  await loan.arms?.wake(awake, signal);
}

/** What cannot be read is not known to be the same. */
async function requireSameDocuments(
  { host, clock }: PlanToMeasure,
  before: WorkspaceLook,
  signal: AbortSignal,
): Promise<void> {
  for (let looks = 1; ; looks += 1) {
    const changes = measuredChanges(host, before, await lookAtWorkspace(host));
    if (changes?.length === 0) return;
    if (looks === LOOKS) {
      const what = changes?.map((change) => change.what).join('; ') ?? 'a document cannot be read';
      throw anotherOne(host.workspace, what);
    }
    await clock.sleep(BETWEEN_LOOKS_MS, signal);
    signal.throwIfAborted();
  }
}

async function requireSameTarget(request: PlanToMeasure, signal: AbortSignal): Promise<void> {
  const { host, found, inputs, clock, log } = request;
  const { target: endpoint } = host.endpoints;
  if (endpoint === null || found.description === null) return;
  await untilTargetAnswers({ endpoint, waitMs: inputs.hostWaitS * 1000, clock, log, signal });
  const timeouts = { connectTimeoutMs: CONNECT_MS, answerTimeoutMs: COLD_MS, signal };
  try {
    const now = await describedOrNot(describeTarget(endpoint, timeouts));
    const change = 'unavailable' in now ? now.unavailable : describedChange(found.description, now);
    if (change !== null) throw anotherOne(endpoint, change);
  } catch (error) {
    if (!isLeftAtBadTask(error)) throw error;
    log.warning(`The target was left at a task that it does not have, so its versions are not known again.`);
  }
}

/** In what a target differs that may have been configured for another suite meanwhile; null in nothing. Pure. */
export function describedChange(before: TargetDescription, now: TargetDescription): string | null {
  if (before.runtime !== now.runtime)
    return `its runtime is ${now.runtime ?? 'not told'}, it was ${before.runtime ?? 'not told'}`;
  const names = Object.keys({ ...before.protocol, ...now.protocol });
  // What belongs to the suite is only told of the one that was configured last.
  const compared = before.suite === now.suite ? names : names.filter((name) => name === 'simulator_versions');
  const changed = compared.filter(
    (name) => stableJson(before.protocol[name] ?? null) !== stableJson(now.protocol[name] ?? null),
  );
  return changed.length === 0 ? null : `it describes itself otherwise now: ${changed.join(', ')}`;
}

function anotherOne(where: string, what: string): Error {
  return errorOf('RB968', {
    where,
    message: `while the host was lent to another run, what this run measures became another one: ${what}.`,
  });
}
