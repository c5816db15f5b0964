import { htmlText, plainLine } from '../text/escape.ts';

/** HTML that is escaped already. Made only by `html` and, for our own drawings, by `trusted`. */
export class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

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
  const text = parts.map((part, index) => part + (index < values.length ? escaped(values[index]) : ''));
  return new Html(text.join(''));
}

function escaped(value: HtmlValue | undefined): string {
  if (value === null || value === undefined) return '';
  if (value instanceof Html) return value.text;
  if (typeof value === 'object') return value.map(escaped).join('');
  if (typeof value === 'number' || (value.length <= PLACE_LIMIT && PLAIN.test(value))) return String(value);
  return htmlText(plainLine(String(value), PLACE_LIMIT));
}

/** Marks the output of our own chart functions, which escape for themselves. */
export function trusted(text: string): Html {
  return new Html(text);
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
