import { Indents } from './indents.ts';
import { type PossibleKey, PossibleKeys } from './possible-keys.ts';
import { scanBlock } from './scan-block.ts';
import { scanDirective } from './scan-directive.ts';
import { isMarkedContent, scanMarked } from './scan-marked.ts';
import { isPlainStart, scanPlain } from './scan-plain.ts';
import { HASH, isGap, quotedAt, Source } from './source.ts';
import { Token, type TokenKind } from './token.ts';
import { TokenQueue } from './token-queue.ts';
import { refuse } from './yaml-error.ts';

const PIPE = 0x7c;
const ANGLE = 0x3e;

/** Cuts a text into tokens as they are asked for. One is handed out once no colon can make it a key any more. */
export class Scanner {
  readonly #source: Source;
  readonly #tokens = new TokenQueue();
  #flowLevel = 0;
  readonly #indents = new Indents();
  #isKeyAllowed = true;
  readonly #keys: PossibleKeys;
  #isDone = false;

  constructor(text: string) {
    this.#source = new Source(text);
    this.#keys = new PossibleKeys(this.#source);
  }

  /** Offset of the first escape that stands for half a surrogate pair. */
  get halfCharacterAt(): number | null {
    return this.#source.halfCharacterAt;
  }

  peek(): Token {
    while (this.#needsMore()) this.#scanToken();
    return this.#tokens.first();
  }

  take(): Token {
    while (this.#needsMore()) this.#scanToken();
    return this.#tokens.take();
  }

  #needsMore(): boolean {
    if (this.#isDone) return false;
    if (this.#tokens.isEmpty) return true;
    if (this.#keys.first === null) return false;
    this.#keys.dropStale();
    return this.#keys.first === this.#tokens.firstNumber;
  }

  #push(kind: TokenKind, length: number): void {
    const start = this.#source.pos;
    this.#source.pos = start + length;
    this.#tokens.push(new Token(kind, { start, end: start + length }));
  }

  #scanToken(): void {
    const source = this.#source;
    this.#skipToToken();
    this.#keys.dropStale();
    this.#unwind(source.column());
    const code = source.code();
    if (this.#addIndicator(code) || this.#scanContent(code)) return;
    const problem = `found character ${quotedAt(source)} that cannot start any token`;
    refuse('while scanning for the next token', problem, source.pos);
  }

  /** A token of the structure; false when something else stands here. */
  #addIndicator(code: number): boolean {
    switch (code) {
      case 0x5b:
      case 0x7b:
        this.#addOpening(code === 0x5b ? '[' : '{');
        return true;
      case 0x5d:
      case 0x7d:
        this.#addClosing(code === 0x5d ? ']' : '}');
        return true;
      case 0x2c:
        this.#isKeyAllowed = true;
        this.#keys.forget(this.#flowLevel);
        this.#push(',', 1);
        return true;
      case 0x3f:
      case 0x3a:
        if (this.#flowLevel === 0 && !isGap(this.#source.code(1))) return false;
        if (code === 0x3f) this.#addKey();
        else this.#addValue();
        return true;
      default:
        return this.#addAtEdge(code);
    }
  }

  /** What stands at the left edge, and the dash of a list. */
  #addAtEdge(code: number): boolean {
    const source = this.#source;
    if (code === 0) {
      this.#addEnd();
      return true;
    }
    if (code !== 0x2d && code !== 0x25 && code !== 0x2e) return false;
    const isAtEdge = source.column() === 0;
    if (isAtEdge && code === 0x25) this.#addDirective();
    else if (isAtEdge && source.isAnyMark()) {
      this.#leaveBlocks();
      this.#push(code === 0x2d ? '<document start>' : '<document end>', 3);
    } else if (code === 0x2d && isGap(source.code(1))) this.#addEntry();
    else return false;
    return true;
  }

  /** A token of the content; false when nothing can begin here. */
  #scanContent(code: number): boolean {
    const source = this.#source;
    const start = source.pos;
    if ((code === PIPE || code === ANGLE) && this.#flowLevel === 0) {
      this.#isKeyAllowed = true;
      this.#keys.forget(this.#flowLevel);
      const text = scanBlock(source, code === ANGLE, this.#indents.current);
      this.#tokens.push(new Token('<scalar>', { start, end: source.pos }, text));
      return true;
    }
    if (!isMarkedContent(code)) {
      if (!isPlainStart(source, this.#flowLevel !== 0)) return false;
      this.#addPlain();
      return true;
    }
    this.#keepPossibleKey();
    this.#isKeyAllowed = false;
    this.#tokens.push(scanMarked(source));
    return true;
  }

  #addPlain(): void {
    this.#keepPossibleKey();
    const start = this.#source.pos;
    const plain = scanPlain(this.#source, this.#indents.current + 1, this.#flowLevel !== 0);
    this.#isKeyAllowed = plain.hasBreak;
    this.#tokens.push(new Token('<scalar>', { start, end: this.#source.pos }, plain.text, 'plain'));
  }

  /** Over blanks, line ends, comments, and the byte order mark at the very beginning. */
  #skipToToken(): void {
    const source = this.#source;
    if (source.pos === 0 && source.code() === 0xfeff) source.pos = 1;
    for (;;) {
      source.skipSpaces();
      if (source.code() === HASH) source.skipLine();
      if (source.skipBreak() === '') return;
      if (this.#flowLevel === 0) this.#isKeyAllowed = true;
    }
  }

  /** The next token may be a key when a colon follows it. */
  #keepPossibleKey(): void {
    if (!this.#isKeyAllowed) return;
    const column = this.#source.column();
    this.#keys.keep({
      number: this.#tokens.nextNumber,
      flowLevel: this.#flowLevel,
      isRequired: this.#flowLevel === 0 && this.#indents.current === column,
      column,
    });
  }

  /** Ends the blocks that are deeper than the column; inside brackets indentation means nothing. */
  #unwind(column: number): void {
    if (this.#flowLevel === 0) while (this.#indents.close(column)) this.#push('<block end>', 0);
  }

  /** Ends all blocks: the end of the text, a directive, or the mark of a document. */
  #leaveBlocks(): void {
    this.#unwind(-1);
    this.#keys.forget(this.#flowLevel);
    this.#isKeyAllowed = false;
  }

  #addEnd(): void {
    this.#leaveBlocks();
    this.#keys.clear();
    this.#push('<stream end>', 0);
    this.#isDone = true;
  }

  #addDirective(): void {
    this.#leaveBlocks();
    const start = this.#source.pos;
    const directive = scanDirective(this.#source);
    this.#tokens.push(new Token('<directive>', { start, end: this.#source.pos }, '', directive));
  }

  #addOpening(kind: '[' | '{'): void {
    this.#keepPossibleKey();
    this.#flowLevel += 1;
    this.#isKeyAllowed = true;
    this.#push(kind, 1);
  }

  #addClosing(kind: ']' | '}'): void {
    this.#keys.forget(this.#flowLevel);
    this.#flowLevel -= 1;
    this.#isKeyAllowed = false;
    this.#push(kind, 1);
  }

  /** A dash, question mark or colon may begin a block, where a key could stand; inside brackets none begins. */
  #openBlock(kind: '<block sequence start>' | '<block mapping start>', what: string): void {
    if (this.#flowLevel !== 0) return;
    if (!this.#isKeyAllowed) refuse(null, `${what} are not allowed here`, this.#source.pos);
    if (this.#indents.open(this.#source.column())) this.#push(kind, 0);
  }

  #addEntry(): void {
    this.#openBlock('<block sequence start>', 'sequence entries');
    this.#isKeyAllowed = true;
    this.#keys.forget(this.#flowLevel);
    this.#push('-', 1);
  }

  #addKey(): void {
    this.#openBlock('<block mapping start>', 'mapping keys');
    this.#isKeyAllowed = this.#flowLevel === 0;
    this.#keys.forget(this.#flowLevel);
    this.#push('?', 1);
  }

  #addValue(): void {
    const key = this.#keys.take(this.#flowLevel);
    if (key !== null) this.#insertKey(key);
    else {
      this.#openBlock('<block mapping start>', 'mapping values');
      this.#isKeyAllowed = this.#flowLevel === 0;
    }
    this.#push(':', 1);
  }

  /** The colon has come: the kept token is a key, which may begin a mapping. */
  #insertKey(key: PossibleKey): void {
    const place = { start: key.start, end: key.start };
    this.#tokens.insert(key.number, new Token('?', place));
    if (this.#flowLevel === 0 && this.#indents.open(key.column))
      this.#tokens.insert(key.number, new Token('<block mapping start>', place));
    this.#isKeyAllowed = false;
  }
}
