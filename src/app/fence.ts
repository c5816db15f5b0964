import * as path from 'node:path';
import { EXIT, type ExitCode, errorOf } from '../errors/rb-error.ts';
import { textOption, usageProblem } from '../job/text-option.ts';
import type { VerbContext } from '../job/verb.ts';
import { type Clearing, clearCommand, clearFence, type FenceState, readFence } from '../lane/fence.ts';
import { takeLane } from '../lane/lane.ts';
import { giveUpSession, type LeftEntry } from '../queue/give-up-session.ts';
import { requireRuntimeWorkspace } from '../workspace/workspace-folder.ts';
import { fenceText } from './fence-text.ts';

const MAX_REASON = 1000;
const EXAMPLE = '"watchdog restarted after the GPU hung"';

/**
 * `fence`: shows the fence of this host; with `--clear` takes it away, with a reason that is kept. Refuses (exit 3) while
 * the session may still be at work.
 */
export async function fence(verb: VerbContext): Promise<ExitCode> {
  const { inputs, clock, log, signal } = verb;
  const workspace = path.resolve(inputs.workspace ?? '.');
  await requireRuntimeWorkspace(workspace);
  if (!verb.options.has('clear')) {
    requireClear(verb);
    const state = await readFence(workspace);
    const next = state.kind === 'none' ? '' : `${fenceNext(workspace)}\n`;
    verb.stdout(verb.json ? jsonOf(state, null) : `${fenceText(state)}\n${next}`);
    return EXIT.ok;
  }
  const reason = textOption(verb, 'reason', { max: MAX_REASON, example: EXAMPLE });
  const waitMs = inputs.laneWaitS * 1000;
  const lane = await takeLane({ workspace, runId: 'fence', waitMs, clock, log, signal });
  try {
    const state = await readFence(workspace);
    if (state.kind === 'none') {
      verb.stdout(verb.json ? jsonOf(state, null) : `${fenceText(state)}\n`);
      return EXIT.ok;
    }
    const left = await leftEntry(verb, workspace, state);
    const clearing: Clearing = { at: new Date(clock.now()).toISOString(), reason, ...left };
    await clearFence(workspace, state, clearing);
    verb.stdout(verb.json ? jsonOf(state, clearing) : clearedText(state, clearing));
    return EXIT.ok;
  } finally {
    await lane.release();
  }
}

function requireClear({ options }: VerbContext): void {
  const alone = ['reason', 'watchdog-restarted'].find((name) => options.has(name));
  if (alone === undefined) return;
  throw usageProblem(`option --${alone}`, 'has no effect without --clear.', 'Add --clear, or leave it out.');
}

async function leftEntry(verb: VerbContext, workspace: string, state: FenceState): Promise<LeftEntry> {
  if (state.kind !== 'fenced') return { entry: 'unknown', entryText: null };
  const { sessionId, runId } = state.fence;
  const { clock, signal } = verb;
  const watchdogEnded = verb.options.has('watchdog-restarted');
  const left = await giveUpSession({ workspace, sessionId, runId, watchdogEnded, clock, signal });
  if ('entry' in left) return left;
  throw errorOf('RB410', {
    where: `SESSIONS.md ${sessionId}`,
    message: `it is still ${left.stillIs}, and no other session has moved since: a watchdog may be at it.`,
  });
}

/** What a person does about a fence; `clean` alone takes nothing of it away. */
export function fenceNext(workspace: string): string {
  return `Until it is cleared nothing is benchmarked here. Restart the watchdog, then: ${clearCommand(workspace)}`;
}

const ENTRY_TEXTS: Readonly<Record<Clearing['entry'], string>> = {
  gone: 'Its entry is no longer in SESSIONS.md.',
  settled: 'It has ended meanwhile; its run can be resumed and counts it.',
  left_over: 'The watchdog has left it; the next run or `clean` takes its entry out.',
  taken_out: 'Its entry was taken out of SESSIONS.md and is kept in .host/fences.jsonl.',
  unknown: 'Which session it was about is not known; see `rollout-bench status`.',
};

function clearedText(state: FenceState, { entry }: Clearing): string {
  return `${fenceText(state)}\nCleared. ${ENTRY_TEXTS[entry]}\n`;
}

function jsonOf(state: FenceState, cleared: Clearing | null): string {
  return `${JSON.stringify({ ...state, cleared }, null, 2)}\n`;
}
