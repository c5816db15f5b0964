import { createHash } from 'node:crypto';
import { closeSync, openSync, readFileSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { walkFolder } from '../../../src/files/walk.ts';

const BLOCK = 512;

export interface Entry {
  readonly name: string;
  readonly content?: Buffer | string;
  /** Type letter of the header; a plain file when left out. */
  readonly type?: string;
  readonly link?: string;
  /** What the header says in place of the content's size. */
  readonly size?: string;
  readonly checksum?: boolean;
}

/** A tar header as a stranger may write it. */
export function header({ name, content = '', type = '0', link = '', size, checksum = true }: Entry): Buffer {
  const block = Buffer.alloc(BLOCK);
  block.write(name.slice(0, 100), 0, 'utf8');
  block.write('0000644\0', 100);
  block.write('0000000\0', 108);
  block.write('0000000\0', 116);
  block.write(size ?? `${Buffer.byteLength(content).toString(8).padStart(11, '0')}\0`, 124, 'latin1');
  block.write('00000000000\0', 136);
  block.write('        ', 148);
  block.write(type, 156);
  block.write(link.slice(0, 100), 157);
  block.write('ustar\u000000', 257);
  const sum = block.reduce((total, byte) => total + byte, 0) + (checksum ? 0 : 1);
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return block;
}

export function tarOf(entries: readonly Entry[], end = true): Buffer {
  const parts = entries.flatMap((entry) => {
    const content = Buffer.from(entry.content ?? '');
    const padding = Buffer.alloc((BLOCK - (content.length % BLOCK)) % BLOCK);
    return [header(entry), content, padding];
  });
  return Buffer.concat([...parts, ...(end ? [Buffer.alloc(2 * BLOCK)] : [])]);
}

/** The files of a bundle folder as entries, in this order of names. */
export function entriesOf(dir: string, top: string, order: 'manifest first' | 'by path'): Entry[] {
  const { files } = walkFolder(dir);
  const sorted =
    order === 'by path'
      ? files
      : ['manifest.json', ...files.filter((name) => name !== 'manifest.json')].filter((name) =>
          files.includes(name),
        );
  return sorted.map((name) => ({ name: `${top}/${name}`, content: readFileSync(join(dir, name)) }));
}

/** A gzip file that expands to the parts, then to `times` pieces of 64 MiB of zeros: members may follow each other. */
export function writeBomb(file: string, head: Buffer, times: number, tail: Buffer = Buffer.alloc(0)): void {
  const piece = gzipSync(Buffer.alloc(64 * 1024 * 1024), { level: 9 });
  const out = openSync(file, 'w');
  writeSync(out, gzipSync(head, { level: 1 }));
  for (let at = 0; at < times; at += 1) writeSync(out, piece);
  if (tail.length > 0) writeSync(out, gzipSync(tail));
  closeSync(out);
}

export function writeArchive(file: string, entries: readonly Entry[], after: Buffer = Buffer.alloc(0)): void {
  writeFileSync(file, gzipSync(Buffer.concat([tarOf(entries), after]), { level: 1 }));
}

export const sha256 = (content: Buffer | string): string =>
  createHash('sha256').update(content).digest('hex');
