import { isRecord } from './guards.ts';
import { withMembers } from './with-members.ts';

/**
 * JSON with sorted keys and two blanks of indent, ending in a line feed: equal values give equal bytes, whatever
 * the order in which they were put together. Values that JSON cannot hold are refused instead of becoming null.
 * @throws TypeError for NaN, infinities, bigint, functions and undefined in a list.
 */
export function stableJson(value: unknown): string {
  return `${JSON.stringify(sorted(value), null, 2)}\n`;
}

/**
 * The text of `stableJson`, part by part: of a value whose members are long lists, each entry of such a list is a part. Such
 * a member may also be a generator, whose entries are asked for one by one.
 * @throws TypeError as `stableJson`, when it comes to the value.
 */
export function* stableJsonParts(value: Readonly<Record<string, unknown>>): Generator<string> {
  const names = Object.keys(value).filter((name) => value[name] !== undefined);
  let before = '{';
  for (const name of names.sort(byCodeUnit)) {
    yield `${before}\n${INDENT}${JSON.stringify(name)}: `;
    yield* memberParts(value[name]);
    before = ',';
  }
  yield before === '{' ? '{}\n' : '\n}\n';
}

function* memberParts(member: unknown): Generator<string> {
  if (!isIterable(member)) {
    yield indented(member, INDENT);
    return;
  }
  const inner = INDENT + INDENT;
  let before = '[';
  for (const entry of member) {
    yield `${before}\n${inner}${indented(entry, inner)}`;
    before = ',';
  }
  yield before === '[' ? '[]' : `\n${INDENT}]`;
}

function isIterable(member: unknown): member is Iterable<unknown> {
  return typeof member === 'object' && member !== null && Symbol.iterator in member;
}

const INDENT = '  ';

/** A line feed in this text is never part of a string, where it would be escaped. */
function indented(value: unknown, by: string): string {
  return JSON.stringify(sorted(value), null, INDENT.length).replaceAll('\n', `\n${by}`);
}

/** The order of texts that is the same on every machine. */
export function byCodeUnit(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}

/** The same on one line without blanks, for JSON Lines. */
export function stableLine(value: unknown): string {
  return `${JSON.stringify(sorted(value))}\n`;
}

function sorted(value: unknown): unknown {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new TypeError(`JSON cannot hold ${value}`);
    return value;
  }
  if (Array.isArray(value)) return value.map(sorted);
  if (!isRecord(value)) throw new TypeError(`JSON cannot hold a ${typeof value}`);
  // Texts are sorted by code unit. A key of digits moves to the front, but it does so for equal values equally.
  const names = Object.keys(value).filter((name) => value[name] !== undefined);
  return withMembers(names.sort(), (name) => sorted(value[name]));
}
