/** What an XML text holds, in order. */
type XmlEvent =
  | {
      readonly kind: 'open';
      readonly name: string;
      readonly attributes: ReadonlyMap<string, string>;
      readonly line: number;
      readonly isEmpty: boolean;
    }
  | { readonly kind: 'close'; readonly name: string; readonly line: number }
  | { readonly kind: 'fault'; readonly message: string; readonly line: number };

const NAMED: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

/**
 * Elements and their attributes; texts between them are passed over. A document type, with which an XML text can name
 * files and grow without end, is refused. Linear in the length of the text. Pure.
 */
export function* xmlEvents(text: string): Generator<XmlEvent> {
  let line = 1;
  let counted = 0;
  const lineAt = (at: number): number => {
    for (
      let next = text.indexOf('\n', counted);
      next !== -1 && next < at;
      next = text.indexOf('\n', counted)
    ) {
      line += 1;
      counted = next + 1;
    }
    return line;
  };
  for (let at = text.indexOf('<'); at !== -1; at = text.indexOf('<', at)) {
    const special = SPECIAL.find(({ begin }) => text.startsWith(begin, at));
    if (special !== undefined) {
      if (special.end === null) {
        yield { kind: 'fault', message: 'it has a document type, which no result needs', line: lineAt(at) };
        return;
      }
      const end = text.indexOf(special.end, at + special.begin.length);
      if (end === -1) break;
      at = end + special.end.length;
      continue;
    }
    const end = endOfTag(text, at);
    if (end === -1) {
      yield { kind: 'fault', message: 'its last element is cut off', line: lineAt(at) };
      return;
    }
    const inside = text.slice(at + 1, end);
    if (inside.startsWith('/')) yield { kind: 'close', name: inside.slice(1).trim(), line: lineAt(at) };
    else yield opened(inside, lineAt(at));
    at = end + 1;
  }
}

const SPECIAL: readonly { readonly begin: string; readonly end: string | null }[] = [
  { begin: '<!--', end: '-->' },
  { begin: '<![CDATA[', end: ']]>' },
  { begin: '<?', end: '?>' },
  { begin: '<!', end: null },
];

/** A `>` inside quotes ends no tag. */
function endOfTag(text: string, from: number): number {
  let quote = '';
  for (let at = from + 1; at < text.length; at += 1) {
    const unit = text[at] ?? '';
    if (quote !== '') {
      if (unit === quote) quote = '';
    } else if (unit === '"' || unit === "'") quote = unit;
    else if (unit === '>') return at;
  }
  return -1;
}

function opened(inside: string, line: number): XmlEvent {
  const isEmpty = inside.endsWith('/');
  const body = isEmpty ? inside.slice(0, -1) : inside;
  const name = /^[^\s]*/.exec(body)?.[0] ?? '';
  const attributes = new Map<string, string>();
  for (const match of body
    .slice(name.length)
    .matchAll(/([^\s=]{1,200})\s{0,20}=\s{0,20}(?:"([^"]*)"|'([^']*)')/g))
    attributes.set(match[1] ?? '', unescaped(match[2] ?? match[3] ?? ''));
  return { kind: 'open', name, attributes, line, isEmpty };
}

function unescaped(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#x([0-9a-fA-F]{1,6})|([a-z]{2,4}));/g, (whole, decimal, hex, named) => {
    if (typeof named === 'string') return NAMED[named] ?? whole;
    const code = typeof decimal === 'string' ? Number(decimal) : Number.parseInt(String(hex), 16);
    return code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff)
      ? String.fromCodePoint(code)
      : '';
  });
}
