import type * as z from 'zod';
import { canonicalJson } from '../base/canonical-json.ts';
import { isTooDeep, MAX_JSON_DEPTH } from '../base/json-depth.ts';
import { EXIT, type Problem, problemOf, RbError } from '../errors/rb-error.ts';

/** A file of the report branch that cannot be read stops the publisher: what cannot be read must not be replaced. */
export function unreadable(path: string, message: string, value?: string): RbError {
  const problem: Problem = problemOf('RB810', {
    where: path,
    message,
    ...(value === undefined ? {} : { value: value.slice(0, 120) }),
    fix: "Restore this file from the branch's history, repair the line, or move the file away to start anew. Nothing was written.",
  });
  return new RbError(EXIT.noVerdict, [problem]);
}

/**
 * Reads JSON Lines, every line or none.
 * @param path for the message
 * @param text the whole file
 * @throws RbError RB810 naming the first line that is no such record
 */
export function parseLines<T>(path: string, text: string, schema: z.ZodType<T>): T[] {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines.map((line, index) => parseLine(`${path} line ${index + 1}`, line, schema));
}

export function parseLine<T>(where: string, line: string, schema: z.ZodType<T>): T {
  const value = jsonOf(where, line);
  if (isTooDeep(value)) throw unreadable(where, `is nested deeper than ${MAX_JSON_DEPTH} levels.`, line);
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const at = issue?.path.join('.') ?? '';
  const message =
    at === 'schema'
      ? 'has a schema this version does not know; a newer version may have written it.'
      : `is not a record of this version: ${at} ${issue?.message ?? ''}.`;
  throw unreadable(where, message, line);
}

function jsonOf(where: string, line: string): unknown {
  try {
    const value: unknown = JSON.parse(line);
    return value;
  } catch {
    throw unreadable(where, 'is not JSON.', line);
  }
}

/** Lines in canonical JSON, so that equal records give equal bytes on every machine. */
export function linesText(records: readonly unknown[]): string {
  return records.map((record) => `${canonicalJson(record)}\n`).join('');
}
