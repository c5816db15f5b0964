import { scanHandle, scanName, scanUri } from './scan-tag.ts';
import { HASH, isBreakOrEnd, isGapButTab, quotedAt, type Source, SPACE } from './source.ts';
import { refuse } from './yaml-error.ts';

/** A line such as `%YAML 1.1` or `%TAG ! tag:example.org,2026:`; others are read over. */
export type Directive =
  | { readonly name: 'YAML'; readonly major: number }
  | { readonly name: 'TAG'; readonly handle: string; readonly prefix: string }
  | { readonly name: null };

const CONTEXT = 'while scanning a directive';

function unexpected(source: Source, expected: string): never {
  const found = quotedAt(source);
  return refuse(CONTEXT, `expected ${expected}, but found ${found}`, source.pos);
}

/** One directive with the rest of its line; the position is at its `%`. */
export function scanDirective(source: Source): Directive {
  source.pos += 1;
  const name = scanName(source);
  if (name === '' || !isGapButTab(source.code())) unexpected(source, 'alphabetic or numeric character');
  const directive = scanValue(source, name);
  source.skipSpaces();
  if (source.code() === HASH) source.skipLine();
  if (!isBreakOrEnd(source.code())) unexpected(source, 'a comment or a line break');
  source.skipBreak();
  return directive;
}

function scanValue(source: Source, name: string): Directive {
  if (name === 'YAML') return { name, major: scanVersion(source) };
  if (name === 'TAG') return scanTagDirective(source);
  source.skipLine();
  return { name: null };
}

function scanVersion(source: Source): number {
  source.skipSpaces();
  const major = scanNumber(source);
  if (source.code() !== 46) unexpected(source, "a digit or '.'");
  source.pos += 1;
  scanNumber(source);
  if (!isGapButTab(source.code())) unexpected(source, "a digit or ' '");
  return major;
}

function scanNumber(source: Source): number {
  const from = source.pos;
  for (let code = source.code(); code >= 48 && code <= 57; code = source.code()) source.pos += 1;
  if (source.pos === from) unexpected(source, 'a digit');
  return Number(source.text.slice(from, source.pos));
}

function scanTagDirective(source: Source): Directive {
  source.skipSpaces();
  const handle = scanHandle(source, 'directive');
  if (source.code() !== SPACE) unexpected(source, "' '");
  source.skipSpaces();
  const prefix = scanUri(source, 'directive');
  if (!isGapButTab(source.code())) unexpected(source, "' '");
  return { name: 'TAG', handle, prefix };
}
