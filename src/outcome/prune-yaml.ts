/**
 * Keys of a session entry that no outcome depends on and that make up most of its text: one map per action chunk,
 * settings of the queue, defaults that the runtime writes out.
 */
const UNREAD =
  /^( *(?:- )?)(?:chunks|runtime_hints|safety_profile|depends_on|evidence_policy|timeline|outputs|action_shape):$/;

/**
 * Removes these subtrees from the block-style text that the runtime writes, so that it parses several times faster.
 * Only text in which every scalar ends on its own line is touched (no quoted text over several lines, no literal or
 * folded blocks, no flow maps over lines): there, a line's indentation alone says to which key it belongs. Anything
 * else is returned as it is. Pure.
 */
export function withoutUnread(text: string): string {
  const lines = text.split('\n');
  if (!lines.every(standsAlone)) return text;
  const kept: string[] = [];
  let below = -1;
  for (const line of lines) {
    const indent = line.length - line.trimStart().length;
    const inside = below >= 0 && (indent > below || (indent === below && line.startsWith('- ', indent)));
    if (inside && line.trim() !== '') continue;
    below = -1;
    const match = UNREAD.exec(line);
    if (match === null) kept.push(line);
    else {
      // In `- chunks:` the key stands two columns to the right of the dash.
      below = (match[1] ?? '').length;
      kept.push(`${line} null`);
    }
  }
  return kept.join('\n');
}

/** False for a line that opens something which goes on in the next one, or might. */
function standsAlone(line: string): boolean {
  if (/[|>][-+0-9]*$/.test(line) || /[[{,]$/.test(line)) return false;
  return evenly(line, "'") && evenly(line, '"');
}

function evenly(line: string, quote: string): boolean {
  let even = true;
  for (let at = line.indexOf(quote); at !== -1; at = line.indexOf(quote, at + 1)) even = !even;
  return even;
}
