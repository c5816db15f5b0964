import * as path from 'node:path';
import { type FileDigest, type HashTurns, hashBuffer, hashInTurns } from '../files/hash-file.ts';
import { TooManyFiles, type Walk, walkInTurns } from '../files/walk.ts';
import type { Manifest } from '../model/manifest.ts';
import type { Breathe } from '../platform/breathe.ts';
import type { Difference } from './difference.ts';
import { BUNDLE_FILES } from './layout.ts';

/** The largest file that a bundle may have; what a session leaves has 64 MB at most. */
const MAX_FILE_BYTES = 256 * 1024 ** 2;
/** All files of a bundle together: 500 late timeouts of 12 MB each, and room. */
const MAX_BUNDLE_BYTES = 8 * 1024 ** 3;
/** Entries beside those that the manifest lists and the folders they need, before nobody looks any further. */
const MAX_EXTRA = 2_000;

/**
 * Every file of a bundle against its manifest: sizes first, then hashes; nothing extra, missing, linked or listed twice,
 * and no folder without a file.
 */
export async function checkFiles(
  bundleDir: string,
  manifest: Manifest,
  breathe: Breathe,
): Promise<Difference[]> {
  const listed = new Map(manifest.files.map((file) => [file.path, file]));
  const total = manifest.files.reduce((sum, { bytes }) => sum + bytes, 0);
  const odd = listFaults(manifest);
  if (total > MAX_BUNDLE_BYTES)
    return [
      ...odd,
      at('changed', BUNDLE_FILES.manifest, `it lists ${total} bytes, more than a bundle may have`),
    ];
  const walk = await walked(bundleDir, 4 * listed.size + MAX_EXTRA, breathe);
  if (walk === null)
    return [...odd, at('extra', '.', 'the folder holds far more files than the manifest lists')];
  return [
    ...odd,
    ...walk.odd.map((name) =>
      at('link', name, 'it is a link, a special file or cannot be read; a bundle holds plain files only'),
    ),
    ...(await fileFaults(bundleDir, { walk, listed }, breathe)),
    ...emptyFolders(walk, manifest),
  ];
}

async function walked(bundleDir: string, most: number, breathe: Breathe): Promise<Walk | null> {
  try {
    return await walkInTurns(bundleDir, most, breathe);
  } catch (error) {
    if (error instanceof TooManyFiles) return null;
    throw error;
  }
}

async function fileFaults(
  bundleDir: string,
  { walk, listed }: { readonly walk: Walk; readonly listed: ReadonlyMap<string, FileDigest> },
  breathe: Breathe,
): Promise<Difference[]> {
  const differences: Difference[] = [];
  const turns = { breathe, buffer: hashBuffer() };
  for (const name of walk.files) {
    if (name === BUNDLE_FILES.manifest) continue;
    const expected = listed.get(name);
    if (expected === undefined) differences.push(at('extra', name, 'the manifest does not list it'));
    else {
      const change = await changeOf(path.join(bundleDir, name), expected, turns);
      if (change !== null) differences.push(at('changed', name, change));
    }
    await breathe();
  }
  const there = new Set([...walk.files, ...walk.odd]);
  const missing = [...listed.keys()].filter((name) => !there.has(name));
  return [...differences, ...missing.map((name) => at('missing', name, 'the manifest lists it'))];
}

async function changeOf(file: string, expected: FileDigest, turns: HashTurns): Promise<string | null> {
  if (expected.bytes > MAX_FILE_BYTES)
    return `${expected.bytes} bytes are more than a bundle's file may have`;
  const found = await hashInTurns(file, expected.bytes, turns);
  if (found === null) return 'it cannot be read as a plain file';
  if (expected.bytes !== found.bytes) return `it has ${found.bytes} bytes instead of ${expected.bytes}`;
  if (expected.sha256 !== found.sha256) return `its SHA-256 is ${found.sha256} instead of ${expected.sha256}`;
  return null;
}

/** A path that is listed twice has two hashes, and readers would choose. */
function listFaults({ files }: Manifest): Difference[] {
  const seen = new Set<string>();
  return files.flatMap(({ path: name }) => {
    const isTwice = seen.has(name);
    seen.add(name);
    if (isTwice) return [at('changed', BUNDLE_FILES.manifest, `it lists ${name} twice`)];
    return name === BUNDLE_FILES.manifest ? [at('changed', name, 'it lists itself')] : [];
  });
}

/** Folders are in no manifest, so each must be needed for a file that is, or was before it was held back. */
function emptyFolders({ folders }: Walk, { files, leftOut }: Manifest): Difference[] {
  const needed = new Set<string>([BUNDLE_FILES.raw]);
  for (const { path: name } of [...files, ...leftOut]) {
    for (let cut = name.lastIndexOf('/'); cut > 0; cut = name.lastIndexOf('/', cut - 1)) {
      const folder = name.slice(0, cut);
      if (needed.has(folder)) break;
      needed.add(folder);
    }
  }
  return folders
    .filter((folder) => !needed.has(folder))
    .map((folder) => at('extra', folder, 'nothing that the manifest lists is in this folder'));
}

function at(kind: Difference['kind'], name: string, message: string): Difference {
  return { kind, path: name, message };
}
