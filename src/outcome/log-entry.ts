/**
 * The lines of one session in LOG.md, as a YAML map with the session id as its only key; null when there are none.
 * LOG.md is one big map that the runtime rewrites for every session, so looking for our id and parsing only its
 * lines keeps the cost of one collection flat. Pure.
 */
export function logEntryText(logText: string, sessionId: string): string | null {
  for (const key of [sessionId, JSON.stringify(sessionId), `'${sessionId.replaceAll("'", "''")}'`]) {
    const head = `\n  ${key}:`;
    for (let at = logText.indexOf(head); at !== -1; at = logText.indexOf(head, at + 1)) {
      const after = logText[at + head.length];
      if (after === '\n' || after === '\r' || after === ' ') return unindented(logText.slice(at + 1));
    }
  }
  return null;
}

/** Takes the key's line and every deeper line after it, and moves them two columns to the left. */
function unindented(text: string): string {
  const lines = text.split('\n');
  const end = lines.findIndex((line, index) => index > 0 && !line.startsWith('    ') && line.trim() !== '');
  const own = lines.slice(0, end === -1 ? lines.length : end);
  return `${own
    .map((line) => line.slice(2))
    .join('\n')
    .trimEnd()}\n`;
}

/** False while the runtime is still writing the file: the block is not closed yet (its opening fence says `yaml`). */
export function isWholeLog(logText: string): boolean {
  return /^(?:`{3,}|~{3,})[ \t]*\r?$/m.test(logText);
}

/**
 * Every session's lines at once, for collecting many: the same texts as `logEntryText` gives one by one, found in one
 * pass. Keys are as written, without quotes.
 */
export function logEntries(logText: string): ReadonlyMap<string, string> {
  const entries = new Map<string, string>();
  const starts = [...logText.matchAll(/^ {2}(?![ \t\r\n#-])(.+?):[ \t]*\r?$/gm)];
  starts.forEach((match, index) => {
    const end = starts[index + 1]?.index ?? logText.length;
    entries.set(bareKey(match[1] ?? ''), unindented(logText.slice(match.index, end)));
  });
  return entries;
}

function bareKey(key: string): string {
  if (/^'.*'$/s.test(key)) return key.slice(1, -1).replaceAll("''", "'");
  return /^".*"$/s.test(key) ? key.slice(1, -1) : key;
}
