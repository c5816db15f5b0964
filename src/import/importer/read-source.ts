import { closeSync, openSync, readSync } from 'node:fs';
import { errorCode } from '../../base/error-code.ts';
import { isTooDeep } from '../../base/json-depth.ts';
import { EXIT, failure, type RbError } from '../../errors/rb-error.ts';
import { READ_PLAIN, readPlainFile } from '../../files/read-within.ts';
import type { ImportSource } from './importer.ts';
import { parsePythonJson } from './python-json.ts';

/** A file with what was read out of it. */
export interface SourceValue<T> {
  readonly source: ImportSource;
  readonly value: T;
}

/** 10,000 episodes with their settings take 5 MB. */
export const MAX_DOCUMENT_BYTES = 64 * 1024 ** 2;

/** @throws RbError RB901 for a file that is too large, a link or gone. */
export function readSourceText({ name, file }: ImportSource): string {
  const reading = readPlainFile(file, MAX_DOCUMENT_BYTES);
  if (reading.state === 'present') return reading.bytes.toString('utf8');
  throw unreadableSource(name, reading.state === 'unreadable' ? reading.reason : 'it is gone');
}

/** @throws RbError RB901 for a file that cannot be read, RB902 for one that is no JSON. */
export function readSourceJson(source: ImportSource): unknown {
  const text = readSourceText(source);
  let value: unknown;
  try {
    value = parsePythonJson(text);
  } catch (error) {
    throw misread(source.name, `it is no JSON: ${error instanceof Error ? error.message.slice(0, 200) : ''}`);
  }
  if (isTooDeep(value)) throw misread(source.name, 'it is nested deeper than any result');
  return value;
}

/** Are these its first bytes, one of each character? False for what cannot be read: reading it says why. */
export function startsWith({ file }: ImportSource, head: string): boolean {
  try {
    const handle = openSync(file, READ_PLAIN);
    try {
      const bytes = Buffer.alloc(head.length);
      readSync(handle, bytes, 0, head.length, 0);
      return bytes.toString('latin1') === head;
    } finally {
      closeSync(handle);
    }
  } catch (error) {
    if (errorCode(error) !== null) return false;
    throw error;
  }
}

/** RB901 (exit 2). */
export function unreadableSource(name: string, why: string): RbError {
  return failure(EXIT.usage, {
    code: 'RB901',
    where: name,
    message: `The file cannot be read: ${why}.`,
    fix: 'Name a plain file that this user may read; links are not followed.',
  });
}

/** RB902 (exit 3): a file of a known format that does not say what such a file says. */
export function misread(where: string, why: string): RbError {
  return failure(EXIT.refused, {
    code: 'RB902',
    where,
    message: `The results cannot be counted: ${why}.`,
    fix: 'Take the file as the tool wrote it, whole and unedited; if it is, its layout is one that is not known here yet.',
  });
}

/** What a schema first found wrong, and where inside the file. Pure. */
export function issueText({
  issues,
}: {
  readonly issues: readonly { readonly path: readonly PropertyKey[]; readonly message: string }[];
}): string {
  const [first] = issues;
  return `${first?.path.map(String).join('.') ?? ''} ${first?.message ?? ''}`.trim().slice(0, 300);
}
