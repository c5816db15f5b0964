import * as fs from 'node:fs/promises';
import * as path from 'node:path';
import { hostFolder } from '../lane/host-folder.ts';

/** Names that `replaceFile` gives to files it is writing, for the documents, contracts, the fence and the ledger. */
const DOCUMENT = /^\.(?:SESSIONS|TARGETS|LOG|LOG\.rollout-bench)\.md\.rb-[0-9a-f]{12}\.tmp$/;
const OF_HOST = /^\.(?:fence\.json|ledger\.jsonl)\.rb-[0-9a-f]{12}\.tmp$/;
const CONTRACT = /^\..+\.runtime\.yaml\.rb-[0-9a-f]{12}\.tmp$/;

/**
 * Removes half-written files that a killed run left beside the documents and contracts. Their names tell the writer
 * apart from the runtime and from editors, and only the holder of the lane writes them, so the lane must be held.
 * Returns the names, relative to the workspace.
 */
export async function removeStrayFiles(workspace: string): Promise<readonly string[]> {
  const places = [
    { folder: workspace, name: DOCUMENT },
    { folder: hostFolder(workspace).root, name: OF_HOST },
    { folder: hostFolder(workspace).contracts, name: CONTRACT },
  ];
  const removed: string[] = [];
  for (const { folder, name } of places) {
    const entries = await fs.readdir(folder, { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      if (!entry.isFile() || !name.test(entry.name)) continue;
      const file = path.join(folder, entry.name);
      await fs.rm(file, { force: true });
      removed.push(path.relative(workspace, file));
    }
  }
  return removed;
}
