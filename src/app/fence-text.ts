import type { FenceState } from '../lane/fence.ts';

/** The fence in words, without a last newline. Pure. */
export function fenceText(state: FenceState): string {
  if (state.kind === 'none') return 'Not fenced.';
  if (state.kind === 'unreadable') return `Fenced, by a file that cannot be read: ${state.why}.`;
  const { runId, sessionId, at, reason } = state.fence;
  return `Fenced since ${at}: the outcome of session ${sessionId} of run ${runId} is unknown. ${reason}.`;
}
