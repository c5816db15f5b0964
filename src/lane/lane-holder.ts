import * as z from 'zod';
import { readTextCapped } from '../files/atomic-file.ts';

const MAX_HOLDER_BYTES = 4 * 1024;

const holderSchema = z.object({ runId: z.string(), pid: z.int(), since: z.string() });
/** Who holds the lane or waits for it. Nothing secret may enter it: every user of the host can read the file. */
export type LaneHolder = z.infer<typeof holderSchema>;

/** What a holder or waiter wrote about itself; null when nothing readable is there. */
export async function readHolderFile(file: string): Promise<LaneHolder | null> {
  try {
    const parsed = holderSchema.safeParse(JSON.parse(await readTextCapped(file, MAX_HOLDER_BYTES)));
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
}

/** `run X (process 123)`, for messages. Pure. */
export function holderName(holder: LaneHolder | null): string {
  return holder === null ? 'another benchmark' : `run ${holder.runId} (process ${holder.pid})`;
}

/** `run X (process 123) since …`, for a list of waiters. Pure. */
export function waiterText(holder: LaneHolder | null): string {
  return holder === null ? holderName(holder) : `${holderName(holder)} since ${holder.since}`;
}
