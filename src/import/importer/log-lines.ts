import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { StringDecoder } from 'node:string_decoder';
import { READ_PLAIN } from '../../files/read-within.ts';

/** A line of a log, cleaned: a terminal's colours, NUL bytes and whatever a progress bar wrote over are gone. */
export interface LogLine {
  /** From 1; parts that a carriage return divides share their number. */
  readonly number: number;
  readonly text: string;
}

const PIECE_BYTES = 256 * 1024;
/** A record of a log is far shorter; what follows in a longer line is not read. */
const MAX_LINE = 16 * 1024;

/**
 * The lines of a text file, one piece of it in memory at a time; bytes that are no UTF-8 become U+FFFD. The last line
 * needs no line feed; `isOpen` of the caller's business is whether it is whole.
 */
export function* logLines(file: string): Generator<LogLine> {
  let number = 1;
  for (const raw of rawLines(file)) {
    for (const part of raw.split('\r')) {
      const text = cleanLine(part);
      if (text !== '' || part === raw) yield { number, text };
    }
    number += 1;
  }
}

/** The lines as they stand, each cut at what any record needs. */
export function* rawLines(file: string): Generator<string> {
  const handle = openSync(file, READ_PLAIN);
  try {
    if (!fstatSync(handle).isFile()) return;
    const decoder = new StringDecoder('utf8');
    const piece = Buffer.allocUnsafe(PIECE_BYTES);
    let rest = '';
    for (;;) {
      const length = readSync(handle, piece, 0, PIECE_BYTES, null);
      const text = length === 0 ? decoder.end() : decoder.write(piece.subarray(0, length));
      const lines = (rest + text).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) yield line.slice(0, MAX_LINE);
      if (length === 0) break;
      if (rest.length > 4 * PIECE_BYTES) rest = rest.slice(0, MAX_LINE);
    }
    if (rest !== '') yield rest.slice(0, MAX_LINE);
  } finally {
    closeSync(handle);
  }
}

/** ECMA-48 control sequences (colours, cursor), other escapes, and control characters but the tab. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out
const CONTROL = /\u001b\[[0-9;?]{0,20}[A-Za-z]|\u001b.|[\u0000-\u0008\u000b-\u001f\u007f]/g;

/** Pure. */
export function cleanLine(text: string): string {
  return text.replace(CONTROL, '');
}
