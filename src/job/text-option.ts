import { errorOf, type RbError } from '../errors/rb-error.ts';
import type { VerbContext } from './verb.ts';

/**
 * The value of a verb's own option: one line, given, and not longer than its place allows.
 * @throws RbError RB112 (exit 2).
 */
export function textOption(
  { options }: VerbContext,
  name: string,
  { max, example }: { readonly max: number; readonly example: string },
): string {
  const text = (options.get(name) ?? '').trim();
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are exactly what is looked for
  if (text !== '' && text.length <= max && !/[\u0000-\u001f\u007f]/.test(text)) return text;
  throw usageProblem(
    `option --${name}`,
    text === '' ? 'is required.' : `must be one line of at most ${max} characters.`,
    `Write for example --${name} ${example}.`,
  );
}

/** A problem of the command line itself. */
export function usageProblem(where: string, message: string, fix: string): RbError {
  return errorOf('RB112', { where, message, fix });
}
