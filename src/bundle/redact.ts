import { isRecord } from '../base/guards.ts';
import { withMembers } from '../base/with-members.ts';

/** Stands for what was removed. */
const REMOVED = '<redacted>';
const PATH = '<path>';
const ENDPOINT = '<endpoint>';
const ACCOUNT_REMOVED = '<account>';

/** Keys whose whole value goes: who ran it, and tokens that the runtime trusts. */
const SECRET_KEYS: ReadonlySet<string> = new Set([
  'claim_token',
  'claimed_by',
  'verification_token',
  'traceback',
  'hostname',
  'host_name',
]);

/**
 * Keys whose value is compared with the plan or decides an outcome. They are ids and names, and a redacted bundle
 * must still give the same records.
 */
const KEPT_KEYS: ReadonlySet<string> = new Set([
  'session_id',
  'sessionId',
  'sessionIds',
  'cellTarget',
  'cellTargets',
  'status',
  'error_code',
  'errorCode',
  'outcome',
  'task_description',
  'language',
  'benchmark_name',
  'target_ref',
  'skillruntime_ref',
  'updated_at',
  'sha256',
  'planDigest',
  'runId',
  'suite',
  'type',
]);

// The text before it and the last line (exception and message) stay.
const TRACEBACK = /Traceback \(most recent call last\):[\s\S]*?(?=^\S[^\n]*$(?![\s\S]*^\s+File ))/gm;
const ADDRESS = /\b(?!https:)([a-z][a-z0-9+.-]*:\/\/)[^\s/?#"'<>]+[^\s"'<>]*/gi;
const FILE_ADDRESS = /\bfile:\/\/[^\s"'<>]*/gi;
const IP_AND_PORT = /\b\d{1,3}(?:\.\d{1,3}){3}(?::\d{1,5})?\b/g;
// A name of a machine in a domain, with its port.
const NAME_AND_PORT = /\b[a-z0-9-]+(?:\.[a-z0-9-]+)*\.[a-z]{2,}:\d{2,5}\b/gi;
// A person or account at a machine; `pi05@2.1.0` is none.
const ACCOUNT = /\b[\w.+-]+@(?:[a-z0-9-]+\.)+[a-z]{2,}\b/gi;
// Two components at least, so that "and/or" and "/" stay; not inside an address or a relative path, but in a list
// like PATH=/a/b:/c/d. Letters of any language.
const ABSOLUTE_PATH =
  /(?<![\p{L}\p{N}_./<>-])\/(?!\/)(?:[\p{L}\p{N}_.@+~-]+\/)+[\p{L}\p{N}_.@+~-]*|\b[A-Za-z]:\\(?:[^\s\\"'<>|]+\\)*[^\s\\"'<>|]*/gu;
// \\server\share
const SHARE = /\\{2,}[^\s\\"'<>|]+(?:\\+[^\s\\"'<>|]+)+/g;

// One of these is in everything that the patterns above remove.
const MARKED = /[:/\\@.]/;

/** A function that removes host paths, addresses and tracebacks from text. `hidden` are exact texts of this host. */
export function textRedactor(hidden: readonly string[]): (text: string) => string {
  const exact = [...hidden]
    .filter((each) => each.length > 2)
    .sort((left, right) => right.length - left.length);
  return (text) => {
    const rest = exact.reduce((left, each) => left.replaceAll(each, PATH), text);
    if (!MARKED.test(rest)) return rest;
    return rest
      .replace(TRACEBACK, '<traceback removed> ')
      .replace(FILE_ADDRESS, PATH)
      .replace(ADDRESS, `$1${ENDPOINT}`)
      .replace(IP_AND_PORT, ENDPOINT)
      .replace(NAME_AND_PORT, ENDPOINT)
      .replace(ACCOUNT, ACCOUNT_REMOVED)
      .replace(ABSOLUTE_PATH, PATH)
      .replace(SHARE, PATH);
  };
}

/** A copy of plain data with its texts redacted; numbers, flags and nulls stay. Pure. */
export function redactValue(value: unknown, redact: (text: string) => string): unknown {
  if (typeof value === 'string') return redact(value);
  if (Array.isArray(value)) return value.map((item) => redactValue(item, redact));
  if (typeof value === 'bigint') return Number(value);
  if (!isRecord(value)) return value;
  if ('text' in value && Object.getPrototypeOf(value) !== Object.prototype) return value.text;
  return withMembers(Object.keys(value), (key) => {
    const item = value[key];
    if (SECRET_KEYS.has(key)) return item === null ? null : REMOVED;
    return KEPT_KEYS.has(key) ? plain(item) : redactValue(item, redact);
  });
}

/** Wrapped time stamps become text, so that the value can be written as JSON. */
function plain(value: unknown): unknown {
  return redactValue(value, (text) => text);
}
