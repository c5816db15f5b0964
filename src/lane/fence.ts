import * as fs from 'node:fs/promises';
import * as path from 'node:path';
import * as z from 'zod';
import { errorCode } from '../base/error-code.ts';
import { shellWord } from '../base/shell-word.ts';
import { EXIT, type Problem, RbError } from '../errors/rb-error.ts';
import { readTextCapped, replaceFile } from '../files/atomic-file.ts';
import { makeFolder, openDurableLines, syncFolder } from '../files/durable-lines.ts';
import { BENCH_FOLDER, hostFolder } from './host-folder.ts';

const FENCE_SCHEMA_ID = 'rollout-bench/fence/1';
const MAX_FENCE_BYTES = 64 * 1024;
const FENCE_FILE = `${BENCH_FOLDER}/.host/fence.json`;

const fenceSchema = z.strictObject({
  schema: z.literal(FENCE_SCHEMA_ID),
  /** UTC; when it was set. */
  at: z.string(),
  runId: z.string(),
  sessionId: z.string(),
  /** What SESSIONS.md said of the session then. */
  status: z.string(),
  /** Its last transition, by the runtime's own stamp; null when it has none. */
  since: z.string().nullable(),
  reason: z.string(),
});
/** A session of ours whose outcome is unknown: nothing more is queued on this host until a person has looked. */
type Fence = z.infer<typeof fenceSchema>;

/** `unreadable` is a fence as well: somebody meant to keep everybody out. */
export type FenceState =
  | { readonly kind: 'none' }
  | { readonly kind: 'fenced'; readonly fence: Fence }
  | { readonly kind: 'unreadable'; readonly why: string };

/** The fence of a workspace (absolute path). */
export async function readFence(workspace: string): Promise<FenceState> {
  const { fence: file } = hostFolder(workspace);
  try {
    await fs.lstat(file);
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return { kind: 'none' };
  }
  try {
    const parsed = fenceSchema.safeParse(JSON.parse(await readTextCapped(file, MAX_FENCE_BYTES)));
    if (parsed.success) return { kind: 'fenced', fence: parsed.data };
    return { kind: 'unreadable', why: 'it is not a fence of this version' };
  } catch (error) {
    const why = error instanceof RbError ? (error.problems[0]?.message ?? '') : 'it is not JSON';
    return { kind: 'unreadable', why: why.replace(/\.$/, '') };
  }
}

/**
 * Sets the fence, durably; one that is there already stays as it is. The lane must be held.
 * @throws RbError RB213 or RB219 when it cannot be written.
 */
export async function raiseFence(workspace: string, fence: Omit<Fence, 'schema'>): Promise<void> {
  const { fence: file } = hostFolder(workspace);
  await makeFolder(path.dirname(file));
  const content = `${JSON.stringify({ schema: FENCE_SCHEMA_ID, ...fence }, null, 2)}\n`;
  const confirm = async (): Promise<boolean> => (await readFence(workspace)).kind === 'none';
  if (await confirm()) await replaceFile(file, content, { createMode: 0o644, confirm });
}

/** How a fence was cleared. */
export interface Clearing {
  readonly at: string;
  readonly reason: string;
  /** What became of the session's entry in SESSIONS.md. */
  readonly entry: 'gone' | 'settled' | 'left_over' | 'taken_out' | 'unknown';
  /** The entry as it stood, when it was taken out. */
  readonly entryText: string | null;
}

/** Writes down why, then takes the fence away: a crash in between leaves the fence. The lane must be held. */
export async function clearFence(workspace: string, state: FenceState, clearing: Clearing): Promise<void> {
  const { fence: file, clearedFences } = hostFolder(workspace);
  const lines = await openDurableLines(clearedFences, { exclusive: false });
  try {
    const fence = state.kind === 'fenced' ? state.fence : null;
    await lines.append([JSON.stringify({ ...clearing, fence })]);
  } finally {
    await lines.close();
  }
  // A folder of this name is a fence as well, and whoever clears it means that.
  await fs.rm(file, { force: true, recursive: true });
  await syncFolder(path.dirname(file));
}

/** What a person runs after restarting the watchdog; the reason is theirs to write. Pure. */
export function clearCommand(workspace: string): string {
  return `rollout-bench fence --workspace ${shellWord(workspace)} --clear --watchdog-restarted --reason "what was done"`;
}

/** Why nothing may be queued here, null on a host without a fence. Pure. */
export function fenceProblem(state: FenceState, workspace: string): Problem | null {
  if (state.kind === 'none') return null;
  const common = {
    where: FENCE_FILE,
    consequence: 'Nothing is queued on this host until the fence is cleared.',
    severity: 'fatal',
  } as const;
  const fix = `Restart the watchdog, so that nothing is at the session any more; then run \`${clearCommand(workspace)}\`.`;
  if (state.kind === 'unreadable') {
    const message = `The host is fenced, but the fence cannot be read: ${state.why}.`;
    return { code: 'RB409', message, fix, ...common };
  }
  const { runId, sessionId, reason, at } = state.fence;
  const message = `The host is fenced since ${at}: the outcome of session ${sessionId} of run ${runId} is unknown. ${reason}.`;
  return { code: 'RB375', message, fix, ...common };
}

/** @throws RbError RB375 or RB409 (exit 3) on a fenced host. Writes nothing. */
export async function refuseFenced(workspace: string): Promise<void> {
  const problem = fenceProblem(await readFence(workspace), workspace);
  if (problem !== null) throw new RbError(EXIT.refused, [problem]);
}
