/** What keeps a text from being read, at an offset of it (UTF-16 units). The reader turns it into line and column. */
export class Refused extends Error {
  readonly offset: number;

  constructor(message: string, offset: number) {
    super(message);
    this.name = 'Refused';
    this.offset = offset;
  }
}

/** Refuses the text: `context` says during what, as the peer does ("while scanning a simple key"). */
export function refuse(context: string | null, problem: string, offset: number): never {
  throw new Refused(context === null ? problem : `${context}: ${problem}`, offset);
}

/**
 * A text that is not read. `line` and `column` start at 1 and are the peer's own; null when unknown. `isOurs` marks what
 * the runtime would take, and only this program cannot handle.
 */
export class YamlError extends Error {
  readonly line: number | null;
  readonly column: number | null;
  readonly isOurs: boolean;

  constructor(
    message: string,
    place: { readonly line: number | null; readonly column: number | null; readonly isOurs?: boolean },
    options?: { cause?: unknown },
  ) {
    super(message, options);
    this.name = 'YamlError';
    this.line = place.line;
    this.column = place.column;
    this.isOurs = place.isOurs ?? false;
  }
}

/** A text as the peer's messages show it, in quotes. */
export function quoted(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  const escaped = text.replace(/[\\'\p{C}\p{Z}]/gu, (character) => {
    if (character === ' ') return character;
    if (character === "'") return quote === "'" ? "\\'" : "'";
    return ESCAPES[character] ?? numbered(character.codePointAt(0) ?? 0);
  });
  return quote + escaped + quote;
}

const ESCAPES: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  '\t': '\\t',
  '\n': '\\n',
  '\r': '\\r',
};

function numbered(code: number): string {
  const [mark, length] = code < 0x100 ? ['x', 2] : code < 0x10000 ? ['u', 4] : ['U', 8];
  return `\\${mark}${code.toString(16).padStart(length, '0')}`;
}
