import { shellWord } from '../../base/shell-word.ts';
import { type HostStatus, lastUnfinished } from '../../queue/host-status.ts';
import type { WayOn } from './way-on.ts';

type Unfinished = NonNullable<HostStatus['unfinished']>;

/** How the newest run of a workspace ended that did not come to its end, and how it goes on. Pure. */
export function lastRunText(unfinished: Unfinished, way: WayOn | null): string {
  const { runId, attempt, ending } = unfinished;
  return `${runId}, attempt ${attempt}, ${ending}; ${nextText(unfinished, way)}`;
}

/** The same for a workspace; null when its newest run came to its end. Changes nothing. */
export async function lastRunHere(workspace: string, signal: AbortSignal): Promise<string | null> {
  const unfinished = await lastUnfinished(workspace);
  if (unfinished === null) return null;
  return lastRunText(unfinished, await wayOnOf(workspace, unfinished, signal));
}

/** How such a run goes on. Loaded only for one: it can verify a whole bundle. */
export async function wayOnOf(
  workspace: string,
  { runId }: Unfinished,
  signal: AbortSignal,
): Promise<WayOn | null> {
  const { wayOn } = await import('./way-on.ts');
  return wayOn(workspace, runId, signal);
}

function nextText({ runId, again }: Unfinished, way: WayOn | null): string {
  // An earlier version did not write down to which run held-out cells belong.
  const publicRun = runId.replace(/-heldout$/, '');
  if (way?.kind === 'none') return `it cannot go on: ${way.why}`;
  if (way?.kind === 'sealed') return `it is sealed; see: rollout-bench verify ${shellWord(way.bundleDir)}`;
  if (again !== null) return `to go on: ${again}`;
  return `to go on, start it again with the same inputs and --resume ${publicRun}`;
}
