import * as fs from 'node:fs/promises';
import { parsedJson } from '../base/json-text.ts';
import { type JournalRecord, journalLineSchema } from '../model/journal-events.ts';

/** The last line of a journal is the end of the run, a few hundred bytes. */
const TAIL_BYTES = 64 * 1024;

/** The last whole line of a journal, since a torn one was never true; null when there is none that can be read. */
export async function lastRecord(file: string): Promise<JournalRecord | null> {
  const tail = await tailOf(file);
  const lines = tail
    .slice(0, tail.lastIndexOf('\n') + 1)
    .trimEnd()
    .split('\n');
  return journalLineSchema.safeParse(parsedJson(lines.at(-1) ?? '')).data ?? null;
}

async function tailOf(file: string): Promise<string> {
  const handle = await fs.open(file, fs.constants.O_RDONLY | fs.constants.O_NOFOLLOW).catch(() => null);
  if (handle === null) return '';
  try {
    const { size } = await handle.stat();
    const length = Math.min(size, TAIL_BYTES);
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, size - length);
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await handle.close();
  }
}
