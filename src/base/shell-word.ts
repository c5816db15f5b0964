/** Words that a shell takes as they are. */
const PLAIN = /^[A-Za-z0-9_.,:/=%@+-]+$/;

/** Text as one word of a POSIX shell, so that a command in a message can be copied. Pure. */
export function shellWord(text: string): string {
  return PLAIN.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
