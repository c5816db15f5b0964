/**
 * Follows a block-style YAML text line by line, just far enough to know whether a line begins outside of every quoted,
 * literal and bracketed text. It never decides what a value means; that is the parser's work.
 */
export class YamlLines {
  #mode: 'none' | 'double' | 'single' | 'literal' | 'flow' = 'none';
  #literalColumn = 0;
  /** Blank lines at the end of the literal text belong to it. */
  #keepBlank = false;
  #flowDepth = 0;
  /** An unquoted text was begun and may go on in deeper lines. */
  #plainOpen = false;

  /** Whether the next line starts outside of a quoted or bracketed text. (A literal text ends by indentation.) */
  get settled(): boolean {
    return this.#mode === 'none' || this.#mode === 'literal';
  }

  /** Whether this line, the next one, begins outside of any text that is still open. */
  outside(line: string): boolean {
    if (this.#mode !== 'literal') return this.#mode === 'none';
    return line.trim() !== '' && indentOf(line) <= this.#literalColumn;
  }

  /** Takes in one line, without its line end. True when it carries content, false for blank and comment lines. */
  feed(line: string): boolean {
    if (this.#mode === 'literal') {
      if (line.trim() === '') return this.#keepBlank;
      if (!this.outside(line)) return true;
      this.#mode = 'none';
    }
    if (this.#mode === 'flow') this.#flow(line);
    else if (this.#mode === 'none') return this.#fresh(line);
    else this.#quoted(line, this.#mode === 'double' ? '"' : "'");
    return true;
  }

  #fresh(line: string): boolean {
    const text = line.trimStart();
    if (text === '' || text.startsWith('#')) return false;
    this.#node(text, line.length - text.length);
    return true;
  }

  #quoted(line: string, quote: '"' | "'"): void {
    const end = closingQuote(line, 0, quote);
    if (end < 0) return;
    this.#mode = 'none';
    this.#value(line.slice(end + 1).replace(/^\s*:(?=\s|$)\s*/, ''), 0, false);
  }

  #node(text: string, column: number): void {
    // A dash, or the marks of a key that does not fit on one line.
    const dash = /^[-?:](?:[ \t]+|$)/.exec(text);
    if (dash !== null) {
      this.#plainOpen = false;
      const rest = text.slice(dash[0].length);
      // A literal text right after the mark is deeper than the mark.
      if (/^[|>]/.test(rest)) this.#value(rest, column, false);
      else this.#node(rest, column + dash[0].length);
      return;
    }
    if (text.startsWith('"') || text.startsWith("'")) {
      this.#quotedStart(text, column);
      return;
    }
    const key = /^(?:[^\s#[{&*!|>%@`,][^#]*?|[^\s#[{])[ \t]*:(?:[ \t]+|$)/.exec(text);
    if (key !== null) this.#value(text.slice(key[0].length), column, false);
    else this.#value(text, column, true);
  }

  #quotedStart(text: string, column: number): void {
    const quote = text.startsWith('"') ? '"' : "'";
    const end = closingQuote(text, 1, quote);
    if (end >= 0) {
      const key = /^[ \t]*:(?:[ \t]+|$)/.exec(text.slice(end + 1));
      if (key !== null) this.#value(text.slice(end + 1 + key[0].length), column, false);
      return;
    }
    // The second line of an unquoted text may begin with a quotation mark, which then means nothing.
    if (!this.#plainOpen) this.#mode = quote === '"' ? 'double' : 'single';
  }

  /** `text` stands after a key or a dash at `column`; `own` when it stands alone on its line. */
  #value(text: string, column: number, own: boolean): void {
    const bare = text.replace(/^(?:[&!][^\s]*[ \t]+)+/, '');
    if (own && this.#plainOpen) return;
    this.#plainOpen = false;
    if (/^[|>][-+0-9]*(?:[ \t]|$)/.test(bare)) {
      this.#mode = 'literal';
      this.#literalColumn = column;
      this.#keepBlank = /^[|>]\d*\+/.test(bare);
    } else if (bare.startsWith('"') || bare.startsWith("'")) {
      const quote = bare.startsWith('"') ? '"' : "'";
      if (closingQuote(bare, 1, quote) < 0) this.#mode = quote === '"' ? 'double' : 'single';
    } else if (bare.startsWith('{') || bare.startsWith('[')) {
      this.#flow(bare);
    } else {
      this.#plainOpen = bare !== '' && !bare.startsWith('#');
    }
  }

  #flow(text: string): void {
    this.#mode = 'flow';
    for (let at = 0; at < text.length; at += 1) {
      const character = text[at];
      if (character === '{' || character === '[') this.#flowDepth += 1;
      if (character === '}' || character === ']') this.#flowDepth -= 1;
      if (character === '"' || character === "'") {
        const end = closingQuote(text, at + 1, character);
        // A quoted text over several lines inside brackets is followed no further: the line counts as unsettled for good.
        if (end < 0) {
          this.#flowDepth = Number.POSITIVE_INFINITY;
          return;
        }
        at = end;
      }
      if (character === '#' && (at === 0 || /\s/.test(text[at - 1] ?? ''))) return;
      if (this.#flowDepth <= 0) {
        this.#mode = 'none';
        this.#flowDepth = 0;
        return;
      }
    }
  }
}

export function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}

/** Offset of the quotation mark that closes a text, or -1 when it is not on this line. */
function closingQuote(text: string, from: number, quote: '"' | "'"): number {
  for (let at = from; at < text.length; at += 1) {
    if (quote === '"' && text[at] === '\\') at += 1;
    else if (text[at] === quote) {
      if (quote === "'" && text[at + 1] === "'") at += 1;
      else return at;
    }
  }
  return -1;
}
