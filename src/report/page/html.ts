import { htmlText, plainLine } from '../text/escape.ts';

/**
 * HTML that is escaped already. Made only by `html` and, for our own drawings, by `trusted`. A long text stays a piece of its
 * own in whatever it is put into: a page of 10,000 episodes has megabytes, and would be copied at each level.
 */
export class Html {
  readonly pieces: readonly string[];
  constructor(pieces: readonly string[]) {
    this.pieces = pieces;
  }

  get text(): string {
    return this.pieces.join('');
  }
}

/** Characters from which on a text is not copied any more. */
const LONG = 8 * 1024;

type HtmlValue = string | number | Html | null | readonly HtmlValue[];

/** Longest piece of foreign text in one place of a page. */
const PLACE_LIMIT = 600;

/** Text that has nothing to escape; most of a page is, and looking is faster than replacing. */
const PLAIN = /^[\w .,:;%()/+–-]*$/;

/**
 * Template tag: everything put in is escaped for content and for quoted attributes, unless it is Html. Null is
 * nothing, lists are joined. Attributes must be quoted.
 */
export function html(parts: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  const gathered: Gathered = { pieces: [], short: [] };
  for (const [index, part] of parts.entries()) {
    gathered.short.push(part);
    gather(gathered, values[index]);
  }
  return new Html(ended(gathered));
}

/** What was put in until now: finished pieces, and the short texts since. */
interface Gathered {
  readonly pieces: string[];
  readonly short: string[];
}

function gather(into: Gathered, value: HtmlValue | undefined): void {
  if (value === null || value === undefined) return;
  if (value instanceof Html) for (const piece of value.pieces) put(into, piece);
  else if (typeof value === 'object') for (const each of value) gather(into, each);
  else put(into, escaped(value));
}

function put(into: Gathered, text: string): void {
  if (text.length >= LONG) ended(into).push(text);
  else into.short.push(text);
}

function ended({ pieces, short }: Gathered): string[] {
  if (short.length > 0) pieces.push(short.join(''));
  short.length = 0;
  return pieces;
}

function escaped(value: string | number): string {
  if (typeof value === 'number' || (value.length <= PLACE_LIMIT && PLAIN.test(value))) return String(value);
  return htmlText(plainLine(String(value), PLACE_LIMIT));
}

/** Marks the output of our own chart functions, which escape for themselves. */
export function trusted(text: string): Html {
  return new Html([text]);
}

/** Foreign text of any direction, kept from reordering its neighbours. */
export function foreign(text: string): Html {
  return html`<bdi>${text}</bdi>`;
}

/**
 * An address that a link may have: http(s), or a relative path without a scheme; null for anything else, so that no
 * `javascript:` or `data:` address ever becomes a link.
 */
function linkTarget(address: string | null): string | null {
  if (address === null || address.length > PLACE_LIMIT) return null;
  if (/^https?:\/\/[^\s\\]+$/i.test(address)) return address;
  return /^(?!\/\/)[\w.~/%+-]+(\?[\w=&%.-]*)?(#[\w.-]*)?$/.test(address) ? address : null;
}

/** A link, or the bare text when the address is none we would open. */
export function link(text: string | Html, address: string | null): Html {
  const target = linkTarget(address);
  return target === null ? html`${text}` : html`<a href="${target}">${text}</a>`;
}
