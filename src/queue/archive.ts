import * as fs from 'node:fs/promises';
import * as path from 'node:path';
import { errorCode } from '../base/error-code.ts';
import { sha256Of } from '../base/sha256.ts';
import { makeFolder, syncFolder } from '../files/durable-lines.ts';
import type { ArchivedFile } from '../model/journal-events.ts';
import { pathOfId } from '../workspace/id-path.ts';

/** Folder of the raw evidence inside a bundle. */
export const RAW_FOLDER = 'raw';

export interface EvidenceFile {
  readonly name: string;
  readonly content: Uint8Array;
}

type ArchiveResult =
  | { readonly kind: 'written'; readonly files: readonly ArchivedFile[] }
  /** The archive was there before, byte for byte the same. */
  | { readonly kind: 'same'; readonly files: readonly ArchivedFile[] }
  /** The archive was there before with other content; it stays as it was. */
  | { readonly kind: 'different'; readonly files: readonly ArchivedFile[] };

/**
 * Writes the evidence of a session to `<rawDir>/<session id>/`, once: the folder appears whole or not at all, and is
 * durable when this resolves. An existing archive is never changed.
 */
export async function archiveEvidence(
  rawDir: string,
  sessionId: string,
  files: readonly EvidenceFile[],
): Promise<ArchiveResult> {
  const folder = pathOfId(rawDir, sessionId);
  const records = files.map(fileRecord);
  const existing = await listArchive(rawDir, sessionId);
  if (existing !== null) {
    return { kind: sameFiles(existing, records) ? 'same' : 'different', files: existing };
  }
  await makeFolder(rawDir);
  const partial = partialArchive(rawDir, sessionId);
  await fs.rm(partial, { recursive: true, force: true });
  await fs.mkdir(partial);
  for (const file of files) await writeDurably(path.join(partial, file.name), file.content);
  await syncFolder(partial);
  await fs.rename(partial, folder);
  await syncFolder(rawDir);
  return { kind: 'written', files: records };
}

/** Where an archive is before it is whole; nothing refers to it. */
export function partialArchive(rawDir: string, sessionId: string): string {
  return pathOfId(rawDir, `.${sessionId}.partial`);
}

/** Names, sizes and hashes of an archive; null when the session has none. */
export async function listArchive(
  rawDir: string,
  sessionId: string,
): Promise<readonly ArchivedFile[] | null> {
  const folder = pathOfId(rawDir, sessionId);
  let names: string[];
  try {
    names = await fs.readdir(folder);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null;
    throw error;
  }
  return Promise.all(
    names
      .toSorted()
      .map(async (name) => fileRecord({ name, content: await fs.readFile(path.join(folder, name)) })),
  );
}

/** Files of an archive with their content. */
export async function readArchive(rawDir: string, sessionId: string): Promise<readonly EvidenceFile[]> {
  const listed = (await listArchive(rawDir, sessionId)) ?? [];
  return Promise.all(
    listed.map(async ({ name }) => ({
      name,
      content: await fs.readFile(path.join(pathOfId(rawDir, sessionId), name)),
    })),
  );
}

function fileRecord(file: EvidenceFile): ArchivedFile {
  return {
    name: file.name,
    bytes: file.content.byteLength,
    sha256: sha256Of(file.content),
  };
}

function sameFiles(a: readonly ArchivedFile[], b: readonly ArchivedFile[]): boolean {
  const byName = new Map(a.map((file) => [file.name, file.sha256]));
  return a.length === b.length && b.every((file) => byName.get(file.name) === file.sha256);
}

async function writeDurably(file: string, content: Uint8Array): Promise<void> {
  const handle = await fs.open(file, 'wx', 0o644);
  try {
    await handle.writeFile(content);
    await handle.datasync();
  } finally {
    await handle.close();
  }
}
