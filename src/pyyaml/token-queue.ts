import type { Token } from './token.ts';

/** Tokens that were found and not handed out yet, numbered from the beginning of the text. */
export class TokenQueue {
  #tokens: Token[] = [];
  /** Position of the first one that was not handed out. */
  #head = 0;
  /** Number of the first one that was not handed out. */
  #taken = 0;

  get isEmpty(): boolean {
    return this.#head === this.#tokens.length;
  }

  get firstNumber(): number {
    return this.#taken;
  }

  /** Number that the next token will have. */
  get nextNumber(): number {
    return this.#taken + this.#tokens.length - this.#head;
  }

  first(): Token {
    const token = this.#tokens[this.#head];
    if (token === undefined) throw new Error('nothing is read beyond the end of a text');
    return token;
  }

  take(): Token {
    const token = this.first();
    this.#head += 1;
    this.#taken += 1;
    if (this.isEmpty) {
      this.#tokens = [];
      this.#head = 0;
    }
    return token;
  }

  push(token: Token): void {
    this.#tokens.push(token);
  }

  /** Puts a token in front of the one with this number, which was not handed out. */
  insert(number: number, token: Token): void {
    this.#tokens.splice(this.#head + number - this.#taken, 0, token);
  }
}
