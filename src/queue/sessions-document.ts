import { findYamlBlock } from '../workspace/fenced-block.ts';
import { dumpYaml, loadYaml, YamlError } from '../workspace/pyyaml.ts';
import { type SessionSlice, scanSessions, sliceField } from '../workspace/session-scan.ts';
import { isMapping } from '../workspace/shape.ts';
import { type QueueEntry, type QueueSnapshot, snapshotOf } from './snapshot.ts';

/**
 * SESSIONS.md as the queue sees it. In the runtime's own layout entries are cut out as text and parsed on demand, which
 * keeps a look cheap with thousands of foreign entries; any other layout is parsed as a whole. Pure.
 */
export function readSessionsText(text: string): QueueSnapshot {
  const bytes = Buffer.byteLength(text);
  const scan = scanSessions(text);
  if (!('problem' in scan)) {
    const entries = scan.slices.map((slice) => slicedEntry(text, slice, scan.indent));
    return snapshotOf(entries, { bytes, fault: null });
  }
  const parsed = parseWhole(text);
  if ('fault' in parsed) return snapshotOf([], { bytes, fault: parsed.fault });
  return snapshotOf(parsed.sessions.map(parsedEntry), { bytes, fault: null });
}

function slicedEntry(text: string, slice: SessionSlice, indent: number): QueueEntry {
  const place = { start: slice.start, end: slice.end, indent };
  const updatedAt = stampOf(text, place);
  const lines = (): string => text.slice(slice.start, slice.end);
  let body: { readonly value: unknown } | null = null;
  return {
    id: slice.sessionId,
    status: slice.status,
    target: bareTarget(sliceField(text, place, 'target_ref')),
    updatedAt,
    updatedMs: milliseconds(updatedAt),
    body() {
      body ??= { value: firstOf(lines()) };
      return body.value;
    },
    text: lines,
  };
}

/** The stamp as the runtime writes it, found without YAML because every look asks every entry for it. */
function stampOf(
  text: string,
  place: { readonly start: number; readonly end: number; readonly indent: number },
): string | null {
  const key = `\n${' '.repeat(place.indent + 2)}updated_at: '`;
  const at = text.indexOf(key, place.start);
  if (at >= 0 && at < place.end) {
    const from = at + key.length;
    const stamp = /^[0-9T:.Z+-]{10,40}(?=')/.exec(text.slice(from, from + 41));
    if (stamp !== null) return stamp[0];
  }
  const value = sliceField(text, place, 'updated_at');
  if (value !== null) return value ?? null;
  return null;
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
    text: () => dumpYaml([value]),
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
