import { randomBytes } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { findYamlBlock, renderDocument } from '../workspace/fenced-block.ts';
import { loadYaml, YamlError } from '../workspace/pyyaml.ts';
import type { FreeMap } from './loose-values.ts';
import { WatchdogCrash } from './python-error.ts';
import { writeRuntimeYaml } from './yaml-writer.ts';

/**
 * Reads the block of a runtime document. Throws {@link WatchdogCrash} with Python's class name where the runtime's
 * reader raises (no file, no block, no YAML, not a mapping).
 */
export function readBlock(path: string, shownPath: string): FreeMap {
  const block = findYamlBlock(readText(path, shownPath));
  if ('problem' in block)
    throw new WatchdogCrash('ValueError', `${shownPath} does not contain a fenced YAML block`);
  const value = readYaml(block.body);
  if (typeof value !== 'object' || value === null) {
    if (value === null || value === '' || value === 0 || value === false) return {};
    throw new WatchdogCrash('ValueError', `${shownPath} YAML block must contain a mapping`);
  }
  if (Array.isArray(value) && value.length > 0) {
    throw new WatchdogCrash('ValueError', `${shownPath} YAML block must contain a mapping`);
  }
  return Object.fromEntries(Object.entries(value));
}

export function readText(path: string, shownPath: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (isErrno(error, 'ENOENT')) {
      throw new WatchdogCrash('FileNotFoundError', `[Errno 2] No such file or directory: '${shownPath}'`);
    }
    if (isErrno(error, 'EACCES'))
      throw new WatchdogCrash('PermissionError', `[Errno 13] Permission denied: '${shownPath}'`);
    throw error;
  }
}

/** YAML with floats and dates told apart from integers and text, as plain objects. */
export function readYaml(text: string): unknown {
  try {
    return plain(loadYaml(text, { keepTypes: true }));
  } catch (error) {
    if (error instanceof YamlError) throw new WatchdogCrash('ParserError', error.message);
    throw error;
  }
}

function plain(value: unknown): unknown {
  if (value instanceof Map)
    return Object.fromEntries([...value].map(([key, item]) => [String(key), plain(item)]));
  return Array.isArray(value) ? value.map(plain) : value;
}

function isErrno(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}

/** Replaces a document atomically; the new file has mode 0600, as the runtime's temporary files have. */
export function writeDocument(path: string, title: string, value: unknown, sync: boolean): void {
  writeAtomically(path, renderDocument(title, writeRuntimeYaml(value)), sync);
}

/** Temporary file in the same folder, optionally fsync, rename. */
export function writeAtomically(path: string, content: string, sync: boolean): void {
  mkdirSync(dirname(path), { recursive: true });
  const temporary = join(dirname(path), `.${basename(path)}.${randomBytes(4).toString('hex')}.tmp`);
  const descriptor = openSync(temporary, 'wx', 0o600);
  try {
    writeSync(descriptor, content);
    if (sync) fsyncSync(descriptor);
  } catch (error) {
    closeSync(descriptor);
    rmSync(temporary, { force: true });
    throw error;
  }
  closeSync(descriptor);
  renameSync(temporary, path);
}
