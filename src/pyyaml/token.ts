import type { Directive } from './scan-directive.ts';
import type { WrittenTag } from './scan-tag.ts';

/** Kinds of tokens, under the names that the peer's messages give them. */
export type TokenKind =
  | '<stream end>'
  | '<directive>'
  | '<document start>'
  | '<document end>'
  | '<block sequence start>'
  | '<block mapping start>'
  | '<block end>'
  | '['
  | ']'
  | '{'
  | '}'
  | '?'
  | ':'
  | '-'
  | ','
  | '<alias>'
  | '<anchor>'
  | '<tag>'
  | '<scalar>';

/** A piece of the text. Offsets count UTF-16 units. */
export class Token {
  readonly kind: TokenKind;
  readonly start: number;
  readonly end: number;
  /** Value of a scalar, name of an anchor or alias; else empty. */
  readonly text: string;
  /** Whether a scalar was unquoted. */
  readonly isPlain: boolean;
  readonly detail: WrittenTag | Directive | null;

  // A flat list, since one is made for every few characters of a document.
  constructor(
    kind: TokenKind,
    place: { readonly start: number; readonly end: number },
    text = '',
    detail: 'plain' | WrittenTag | Directive | null = null,
  ) {
    this.kind = kind;
    this.start = place.start;
    this.end = place.end;
    this.text = text;
    this.isPlain = detail === 'plain';
    this.detail = detail === 'plain' ? null : detail;
  }
}
