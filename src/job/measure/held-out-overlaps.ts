import { readTextCapped } from '../../files/atomic-file.ts';
import { openDurableLines } from '../../files/durable-lines.ts';
import { isThere } from '../../files/is-there.ts';
import { BENCH_FOLDER, hostFolder } from '../../lane/host-folder.ts';
import type { Log } from '../../platform/ports.ts';

const MAX_RECORD_BYTES = 64 * 1024 * 1024;

/** What a run's held-out list shares with other cells, for whoever may read the host's own folder. */
export interface Overlap {
  readonly at: string;
  readonly runId: string;
  readonly suite: string;
  /** Of the held-out list. */
  readonly commitment: string;
  readonly count: number;
  /** Held-out cells that the run asks for openly as well: they tell nothing about unseen cells. */
  readonly openToo: number;
  /** Cells, held out in this run or in one that the policy was selected from, that met where nobody may say so. */
  readonly selectedToo: number;
}

/**
 * Writes it into the host's record of held-out lists, once for each run and list: a resumed run tells nothing new. The
 * file is the owner's alone, and nothing of it is ever printed.
 * @throws RbError when the record cannot be read or written; nothing is measured then.
 */
export async function recordOverlap(workspace: string, overlap: Overlap, log: Log): Promise<void> {
  // The same words whatever is written.
  log.info(
    `What the held-out cells of ${overlap.suite} share with others is in ${BENCH_FOLDER}/.host/held-out.jsonl.`,
  );
  const { heldOutLists } = hostFolder(workspace);
  const known = (await isThere(heldOutLists)) ? await readTextCapped(heldOutLists, MAX_RECORD_BYTES) : '';
  const { runId, commitment } = overlap;
  const same = (line: string): boolean => line.includes(JSON.stringify(runId)) && line.includes(commitment);
  if (known.split('\n').some(same)) return;
  const lines = await openDurableLines(heldOutLists, { exclusive: false, mode: 0o600 });
  try {
    await lines.append([JSON.stringify(overlap)]);
  } finally {
    await lines.close();
  }
}
