import type { InputName } from './input-table.ts';

/** Words that YAML reads as the text they are, so that they need no quotes. */
const PLAIN = /^[A-Za-z0-9/.][A-Za-z0-9/._%+-]*(?:, ?[A-Za-z0-9/._%+-]+)*$/;

/** What YAML's core schema takes for nothing. */
const NOTHING = /^(?:~|null|Null|NULL)$/;

/** A value longer than this is not repeated. */
const SHOWN_CHARACTERS = 200;

/** The line of the config file that gives an input this value. Pure. */
export function configLine(name: InputName, value: string): string {
  const text = value.trim();
  if (text.length > SHOWN_CHARACTERS) return `${name}: …`;
  // A text in JSON's quotes is one in YAML's.
  return `${name}: ${PLAIN.test(text) && !NOTHING.test(text) ? text : JSON.stringify(text)}`;
}
