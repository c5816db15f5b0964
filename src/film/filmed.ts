import { copyFile, mkdir, readdir, rename, rm } from 'node:fs/promises';
import * as path from 'node:path';
import { sha256Of } from '../base/sha256.ts';
import { readWithinNow } from '../files/read-within.ts';
import { type Strip, stripSchema } from '../model/videos.ts';
import { FACTS_ENDING, FACTS_FOLDER } from './shelf.ts';

/** A strip is some ten kilobytes. */
const MOST_BYTES = 4 * 1024 ** 2;
const MOST_FACTS_BYTES = 64 * 1024;

/**
 * The strips that count, by session: those with their facts and the bytes that the facts name. Others are what a crash left.
 * @param folders of this attempt first, then of those that it continues; what is taken from one is copied to the first.
 */
export async function filmedSessions(
  folders: readonly string[],
  isArchived: (sessionId: string) => boolean,
): Promise<readonly Strip[]> {
  const [own] = folders;
  const found = new Map<string, Strip>();
  for (const folder of folders) {
    for (const name of await namesIn(path.join(folder, FACTS_FOLDER))) {
      if (!name.endsWith(FACTS_ENDING)) continue;
      const strip = stripIn(folder, name);
      if (strip === null || found.has(strip.sessionId) || !isArchived(strip.sessionId)) continue;
      if (own !== undefined && folder !== own && !(await taken(strip, name, { from: folder, to: own })))
        continue;
      found.set(strip.sessionId, strip);
    }
  }
  return [...found.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** Leaves no picture in the folder but those that are listed, which are what its bundle answers for. */
export async function onlyListed(folder: string, listed: readonly Strip[]): Promise<void> {
  const keep = new Set(listed.map((strip) => strip.path));
  for (const name of await namesIn(folder))
    if (!keep.has(name) && name !== FACTS_FOLDER) await rm(path.join(folder, name), { force: true });
}

function stripIn(folder: string, name: string): Strip | null {
  const reading = readWithinNow(folder, [FACTS_FOLDER, name], MOST_FACTS_BYTES);
  if (reading.state !== 'present') return null;
  const strip = parsed(reading.bytes.toString('utf8'));
  if (strip === null || `${strip.sessionId}${FACTS_ENDING}` !== name) return null;
  const picture = readWithinNow(folder, [strip.path], MOST_BYTES);
  return picture.state === 'present' && sha256Of(picture.bytes) === strip.sha256 ? strip : null;
}

function parsed(text: string): Strip | null {
  try {
    return stripSchema.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

/** False when there is no room. */
async function taken(
  strip: Strip,
  facts: string,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<boolean> {
  try {
    await mkdir(path.join(to, FACTS_FOLDER), { recursive: true });
    for (const parts of [[strip.path], [FACTS_FOLDER, facts]]) {
      const place = path.join(to, ...parts);
      await copyFile(path.join(from, ...parts), `${place}.tmp`);
      await rename(`${place}.tmp`, place);
    }
    return true;
  } catch {
    return false;
  }
}

async function namesIn(folder: string): Promise<readonly string[]> {
  return readdir(folder).then(
    (names) => names.toSorted(),
    () => [],
  );
}
