import { withoutOdd } from '../base/odd-characters.ts';

/**
 * The text with control and invisible characters other than line feed and tab written out; CRLF becomes LF. Texts of
 * documents and targets reach the log, and an escape sequence in them could rewrite what the reader has already seen.
 */
export function printable(text: string): string {
  return withoutOdd(text.replaceAll('\r\n', '\n'), '\n\t');
}

/**
 * The text with nothing the Actions runner would take for a workflow command: it obeys lines that begin with `::`
 * (after blanks) and `##[` anywhere.
 */
export function withoutCommands(text: string): string {
  return text.replace(/^(\s*):(?=:)/gm, '$1: ').replaceAll('##[', '# #[');
}
