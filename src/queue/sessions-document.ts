import { findYamlBlock } from '../workspace/fenced-block.ts';
import { loadYaml, YamlError } from '../workspace/pyyaml.ts';
import { type SessionSlice, scanSessions, sliceField } from '../workspace/session-scan.ts';
import { isMapping } from '../workspace/shape.ts';
import { type QueueEntry, type QueueSnapshot, snapshotOf } from './machine/snapshot.ts';

/**
 * SESSIONS.md as the queue sees it. In the runtime's own layout entries are cut out as text and parsed on demand, which
 * keeps a look cheap with thousands of foreign entries; any other layout is parsed as a whole. Pure.
 * @param held as `snapshotOf` takes it.
 */
export function readSessionsText(text: string, held?: ReadonlySet<string>): QueueSnapshot {
  const bytes = Buffer.byteLength(text);
  const scan = scanSessions(text);
  if (!('problem' in scan)) {
    const entries = scan.slices.map((slice) => slicedEntry(text, slice, scan.indent));
    return snapshotOf(entries, { bytes, fault: null }, held);
  }
  const parsed = parseWhole(text);
  if ('fault' in parsed) return snapshotOf([], { bytes, fault: parsed.fault });
  return snapshotOf(parsed.sessions.map(parsedEntry), { bytes, fault: null }, held);
}

function slicedEntry(text: string, slice: SessionSlice, indent: number): QueueEntry {
  // Its own lines alone: a search for a missing key must not run through all later entries.
  const lines = text.slice(slice.start, slice.end);
  const updatedAt = quickField(lines, indent, 'updated_at', STAMP);
  let body: { readonly value: unknown } | null = null;
  return {
    id: slice.sessionId,
    status: slice.status,
    // Asked only of entries that are pending or at work.
    get target() {
      return bareTarget(quickField(lines, indent, 'target_ref', REFERENCE));
    },
    updatedAt,
    updatedMs: milliseconds(updatedAt),
    body() {
      body ??= { value: firstOf(lines) };
      return body.value;
    },
    lines: () => lines,
  };
}

/** Values the runtime writes on one line in a form that needs no YAML reader: a look asks thousands of entries. */
const STAMP = /^'([0-9T:.Z+-]{10,40})'\r?$/;
const REFERENCE = /^(target:\/\/[A-Za-z][A-Za-z0-9_-]*)\r?$/;

function quickField(lines: string, indent: number, key: string, form: RegExp): string | null {
  const prefix = `\n${' '.repeat(indent + 2)}${key}: `;
  const at = lines.indexOf(prefix);
  if (at < 0) return null;
  const from = at + prefix.length;
  const end = lines.indexOf('\n', from);
  const quick = form.exec(lines.slice(from, end < 0 ? lines.length : end))?.[1];
  return quick ?? sliceField(lines, { start: 0, end: lines.length, indent }, key) ?? null;
}

function firstOf(yaml: string): unknown {
  try {
    const list = loadYaml(yaml);
    return Array.isArray(list) ? (list[0] ?? null) : null;
  } catch (error) {
    if (error instanceof YamlError) return null;
    throw error;
  }
}

function parseWhole(text: string): { readonly sessions: readonly unknown[] } | { readonly fault: string } {
  const block = findYamlBlock(text);
  if ('problem' in block) return { fault: block.problem };
  let document: unknown;
  try {
    document = loadYaml(block.body);
  } catch (error) {
    if (error instanceof YamlError) return { fault: error.message };
    throw error;
  }
  const sessions = isMapping(document) ? document.sessions : undefined;
  return Array.isArray(sessions) ? { sessions } : { fault: 'it has no list `sessions`' };
}

function parsedEntry(value: unknown): QueueEntry {
  const fields = isMapping(value) ? value : {};
  const updatedAt = textOf(fields.updated_at);
  return {
    id: textOf(fields.session_id) ?? '',
    status: textOf(fields.status) ?? 'pending',
    target: bareTarget(textOf(fields.target_ref)),
    updatedAt,
    updatedMs: milliseconds(updatedAt),
    body: () => value,
    lines: () => null,
  };
}

/** Text, also of a time stamp that was written without quotes. */
function textOf(value: unknown): string | null {
  if (typeof value === 'string') return value;
  return typeof value === 'object' && value !== null && 'text' in value ? String(value.text) : null;
}

function bareTarget(ref: string | null | undefined): string | null {
  return ref == null ? null : ref.replace(/^target:\/\//, '');
}

/** The runtime's stamps are UTC; one without a zone is read as such. */
function milliseconds(stamp: string | null): number | null {
  if (stamp === null) return null;
  const zoned = /(?:Z|[+-]\d\d:?\d\d)$/.test(stamp) ? stamp : `${stamp}Z`;
  const value = Date.parse(zoned.replace(' ', 'T'));
  return Number.isFinite(value) ? value : null;
}
