import type { ExecutionInput } from './execution.ts';

/** How a run that did not come to its end goes on, in words with the command where there is one. Pure. */
export function goOnText({ runId, again }: Pick<ExecutionInput, 'runId' | 'again'>): string {
  return again === undefined ? `start it again with the same inputs and --resume ${runId}` : `\`${again}\``;
}
