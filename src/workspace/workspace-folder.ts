import { lstat, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '../base/error-code.ts';
import { EXIT, type Problem, problemOf, RbError } from '../errors/rb-error.ts';
import { systemReason } from '../files/problems.ts';

/** Folders this product writes into, below the workspace. */
const OUR_FOLDERS = [
  'artifacts',
  'artifacts/rollout-bench',
  'artifacts/rollout-bench/.host',
  ...['tickets', 'contracts', 'swept', 'qualifications', 'approved-plans'].map(
    (name) => `artifacts/rollout-bench/.host/${name}`,
  ),
];
const LOCK_FILE = 'SESSIONS.md.lock';

/** Whether the path is a folder at all; everything else needs that. Empty when it is. */
async function folderProblems(workspace: string): Promise<Problem[]> {
  const refused = (message: string): Problem[] => [
    problemOf('RB231', {
      fix: 'Give the folder that holds TARGETS.md, SKILLRUNTIME.md and SESSIONS.md.',
      where: workspace,
      message,
    }),
  ];
  try {
    const stats = await stat(workspace);
    if (stats.isDirectory()) return [];
    return refused('the workspace is not a folder.');
  } catch (error) {
    return refused(`the workspace cannot be opened: ${systemReason(error)}.`);
  }
}

/** The documents without which the runtime does nothing. */
const DOCUMENTS = ['TARGETS.md', 'SKILLRUNTIME.md', 'SESSIONS.md'];

/** Whether the folder is a workspace of the runtime at all: one problem instead of one for each missing document. */
export async function workspaceProblems(workspace: string): Promise<Problem[]> {
  const folder = await folderProblems(workspace);
  if (folder.length > 0) return folder;
  const kinds = await Promise.all(DOCUMENTS.map((file) => kindOf(join(workspace, file))));
  if (kinds.some((kind) => kind !== 'absent')) return [];
  return [
    problemOf('RB233', {
      where: workspace,
      message: `this folder is no workspace of the runtime: it holds none of ${DOCUMENTS.join(', ')}.`,
      consequence: 'There is nothing to benchmark here.',
    }),
  ];
}

/**
 * Links in the places that this product writes to: following one would write outside the workspace. The workspace
 * itself may be reached through links. Places that do not exist yet are fine.
 */
export async function placeProblems(workspace: string): Promise<Problem[]> {
  const problems: Problem[] = [];
  for (const place of OUR_FOLDERS) {
    const kind = await kindOf(join(workspace, place));
    if (kind === 'absent' || kind === 'folder') continue;
    problems.push(notOurs(join(workspace, place), kind === 'link' ? 'is a link' : 'is not a folder'));
    break;
  }
  const lock = await kindOf(join(workspace, LOCK_FILE));
  if (lock === 'link' || lock === 'folder' || lock === 'other')
    problems.push(
      notOurs(join(workspace, LOCK_FILE), lock === 'link' ? 'is a link' : 'is not a regular file'),
    );
  return problems;
}

/** @throws RbError RB231 or RB213 (exit 3) when this is no folder, or one we would leave by writing into it. */
export async function requireWorkspace(workspace: string): Promise<void> {
  const folder = await folderProblems(workspace);
  const problems = folder.length > 0 ? folder : await placeProblems(workspace);
  if (problems.length > 0) throw new RbError(EXIT.refused, problems);
}

/** @throws RbError RB231, RB233 or RB213 (exit 3), where somebody must have started the runtime once. */
export async function requireRuntimeWorkspace(workspace: string): Promise<void> {
  const problems = await workspaceProblems(workspace);
  if (problems.length > 0) throw new RbError(EXIT.refused, problems);
  await requireWorkspace(workspace);
}

function notOurs(where: string, what: string): Problem {
  return problemOf('RB213', {
    where,
    message: `it ${what}, and nothing is written outside the workspace.`,
    fix: 'Put a folder or file of its own in this place; another disk can be mounted there.',
    consequence: 'Nothing can be queued.',
  });
}

async function kindOf(place: string): Promise<'absent' | 'link' | 'folder' | 'file' | 'other'> {
  try {
    const stats = await lstat(place);
    if (stats.isSymbolicLink()) return 'link';
    return stats.isDirectory() ? 'folder' : stats.isFile() ? 'file' : 'other';
  } catch (error) {
    // What cannot be looked at is found by the check of permissions.
    if (errorCode(error) !== null) return 'absent';
    throw error;
  }
}
