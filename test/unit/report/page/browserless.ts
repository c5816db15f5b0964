/**
 * Reads our own HTML as strictly as our writers write it: lower-case tags, quoted attributes, nothing left open.
 * Returns tag names, attributes and text; throws on markup that no writer of ours makes.
 */
export interface Tag {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
}

export interface Parsed {
  readonly tags: readonly Tag[];
  /** Content of each `script` and `style` element, as it stands. */
  readonly raw: readonly { readonly tag: Tag; readonly text: string }[];
}

const VOID = new Set(['meta', 'link', 'input', 'br']);
const SPACED_ATTRIBUTE = /\s+([a-zA-Z][a-zA-Z0-9-]*)(?:="([^"<>]*)")?/y;

export function parseMarkup(text: string): Parsed {
  const tags: Tag[] = [];
  const raw: { tag: Tag; text: string }[] = [];
  const open: string[] = [];
  let at = 0;
  for (;;) {
    const next = text.indexOf('<', at);
    if (next < 0) break;
    if (text.startsWith('<!doctype html>', next)) {
      at = next + '<!doctype html>'.length;
      continue;
    }
    const close = /<\/([a-zA-Z0-9]+)>/y;
    close.lastIndex = next;
    const closing = close.exec(text);
    if (closing !== null) {
      if (open.pop() !== closing[1]) throw new Error(`unexpected ${closing[0]} at ${next}`);
      at = close.lastIndex;
      continue;
    }
    const { tag, end, selfClosed } = readTag(text, next);
    tags.push(tag);
    at = end;
    if (tag.name === 'script' || tag.name === 'style') {
      const until = text.indexOf(`</${tag.name}`, at);
      raw.push({ tag, text: text.slice(at, until) });
      at = until;
    }
    if (!selfClosed && !VOID.has(tag.name)) open.push(tag.name);
  }
  if (open.length > 0) throw new Error(`left open: ${open.join(' ')}`);
  return { tags, raw };
}

function readTag(text: string, from: number): { tag: Tag; end: number; selfClosed: boolean } {
  const begin = /<([a-zA-Z][a-zA-Z0-9]*)/y;
  begin.lastIndex = from;
  const name = begin.exec(text)?.[1];
  if (name === undefined) throw new Error(`a bare < at ${from}: ${text.slice(from, from + 60)}`);
  const attributes = new Map<string, string>();
  let at = begin.lastIndex;
  for (;;) {
    SPACED_ATTRIBUTE.lastIndex = at;
    const found = SPACED_ATTRIBUTE.exec(text);
    if (found === null) break;
    attributes.set(found[1] ?? '', found[2] ?? '');
    at = SPACED_ATTRIBUTE.lastIndex;
  }
  const selfClosed = text.startsWith('/>', at);
  if (!selfClosed && text[at] !== '>') throw new Error(`odd tag at ${from}: ${text.slice(from, at + 40)}`);
  return { tag: { name, attributes }, end: at + (selfClosed ? 2 : 1), selfClosed };
}
