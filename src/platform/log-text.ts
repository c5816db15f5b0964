/**
 * Control characters other than line feed and tab. Texts of documents and targets reach the log, and an escape
 * sequence in them could rewrite what the reader has already seen.
 */
const CONTROL = /(?![\n\t])\p{Cc}/gu;

/** The text with control characters made harmless; CRLF becomes LF. */
export function printable(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(CONTROL, '\u{fffd}');
}

/**
 * The text with nothing the Actions runner would take for a workflow command: it obeys lines that begin with `::`
 * (after blanks) and `##[` anywhere.
 */
export function withoutCommands(text: string): string {
  return text.replace(/^(\s*):(?=:)/gm, '$1: ').replaceAll('##[', '# #[');
}
