import { statfs } from 'node:fs/promises';
import { type Problem, problemOf } from '../errors/rb-error.ts';

/** A finished LIBERO session of 28 chunks leaves 20 kB, a late timeout 12 MB; the bundle keeps a copy. */
const FREE_BYTES_WANTED = 512 * 1024 * 1024;

/** Bytes that this user may still write where `folder` is; null when the system does not tell. */
export async function freeBytes(folder: string): Promise<number | null> {
  const disk = await statfs(folder).catch(() => null);
  return disk === null ? null : disk.bavail * disk.bsize;
}

/** Is there room for the evidence? An unknown amount of room is no problem. */
export async function diskProblems(workspace: string): Promise<Problem[]> {
  const free = await freeBytes(workspace);
  if (free === null || free >= FREE_BYTES_WANTED) return [];
  return [
    problemOf('RB370', {
      where: workspace,
      message: 'the disk is nearly full; the runtime and the bundle both write evidence here.',
      value: `${Math.floor(free / 1024 / 1024)} MB free`,
      fix: `Free at least ${FREE_BYTES_WANTED / 1024 / 1024} MB.`,
      consequence: 'Sessions fail while they are being recorded.',
    }),
  ];
}
