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
import { errorCode } from '../base/error-code.ts';
import { loadYaml } from '../pyyaml/load.ts';
import { YamlError } from '../pyyaml/yaml-error.ts';
import { findYamlBlock, renderDocument } from '../workspace/fenced-block.ts';
import type { FreeMap } from './loose-values.ts';
import { WatchdogCrash } from './python-error.ts';
import { writeRuntimeYaml } from './yaml-writer.ts';

/** A document that is parsed again only when its text differs from the last time. Values must not be changed. */
export class CachedDocument<T> {
  readonly #path: string;
  readonly #shownPath: string;
  readonly #parse: (block: FreeMap) => T;
  #last: { readonly text: string; readonly value: T } | null = null;

  constructor(path: string, shownPath: string, parse: (block: FreeMap) => T) {
    this.#path = path;
    this.#shownPath = shownPath;
    this.#parse = parse;
  }

  read(): T {
    const text = readText(this.#path, this.#shownPath);
    if (this.#last?.text === text) return this.#last.value;
    const value = this.#parse(blockOf(text, this.#shownPath));
    this.#last = { text, value };
    return value;
  }

  /** Notes what was just written, so that it need not be parsed. */
  remember(text: string, value: T): void {
    this.#last = { text, value };
  }
}

/**
 * The block of a runtime document. Throws {@link WatchdogCrash} with Python's class name where the runtime's reader
 * raises (no file, no block, no YAML, not a mapping).
 */
export function blockOf(text: string, shownPath: string): FreeMap {
  const block = findYamlBlock(text);
  if ('problem' in block)
    throw new WatchdogCrash('ValueError', `${shownPath} does not contain a fenced YAML block`);
  const value = readYaml(block.body);
  // The runtime takes anything empty for an empty mapping.
  if (value === null || value === '' || value === 0 || value === false) return {};
  if (Array.isArray(value) && value.length === 0) return {};
  if (typeof value !== 'object' || Array.isArray(value)) {
    throw new WatchdogCrash('ValueError', `${shownPath} YAML block must contain a mapping`);
  }
  return Object.fromEntries(Object.entries(value));
}

export function readText(path: string, shownPath: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOENT') {
      throw new WatchdogCrash('FileNotFoundError', `[Errno 2] No such file or directory: '${shownPath}'`);
    }
    if (code === 'EACCES')
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

/** Replaces a document atomically; the new file has mode 0600, as the runtime's temporary files have. */
export function writeDocument(path: string, title: string, value: unknown, sync: boolean): void {
  writeAtomically(path, renderDocument(title, writeRuntimeYaml(value)), sync);
}

/** Temporary file in the same folder, rename; with `sync` durable, as is the folder it stands in. */
export function writeAtomically(path: string, content: string, sync: boolean): void {
  const made = mkdirSync(dirname(path), { recursive: true });
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
  if (!sync) return;
  syncFolder(dirname(path));
  if (made !== undefined) syncFolder(dirname(made));
}

/** Makes a rename durable. */
function syncFolder(folder: string): void {
  const descriptor = openSync(folder, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
