import type { Source } from './source.ts';
import { refuse } from './yaml-error.ts';

/** A token that a colon further on may turn into a key: on one line, within 1024 characters. */
export interface PossibleKey {
  /** How many tokens came before it. */
  readonly number: number;
  readonly flowLevel: number;
  /** Nothing but a key can stand here. */
  readonly isRequired: boolean;
  readonly start: number;
  readonly lineStart: number;
  readonly column: number;
}

const LONGEST_KEY = 1024;

/** The tokens that may still turn out to be keys: at most one for each level of brackets, outermost first. */
export class PossibleKeys {
  readonly #source: Source;
  readonly #keys: PossibleKey[] = [];

  constructor(source: Source) {
    this.#source = source;
  }

  /** Number of the first token that must wait; null when none does. */
  get first(): number | null {
    return this.#keys[0]?.number ?? null;
  }

  /** The next token may be a key: its place is kept until a colon, or the end of what a key may be. */
  keep(place: Pick<PossibleKey, 'number' | 'flowLevel' | 'isRequired' | 'column'>): void {
    this.forget(place.flowLevel);
    const { pos, lineStart } = this.#source;
    const { number, flowLevel, isRequired, column } = place;
    this.#keys.push({ number, flowLevel, isRequired, start: pos, lineStart, column });
  }

  /** Takes out the key of a level, if there is one: its colon has come. */
  take(flowLevel: number): PossibleKey | null {
    const key = this.#keys.at(-1);
    if (key?.flowLevel !== flowLevel) return null;
    this.#keys.pop();
    return key;
  }

  /** No colon can follow the key of this level any more. */
  forget(flowLevel: number): void {
    if (this.take(flowLevel)?.isRequired === true) this.#refuse();
  }

  /** Those that are on an earlier line or too far back can be keys no longer. */
  dropStale(): void {
    const source = this.#source;
    for (let key = this.#keys[0]; key !== undefined; key = this.#keys[0]) {
      if (key.lineStart === source.lineStart && !source.isFurther(key.start, LONGEST_KEY)) return;
      if (key.isRequired) this.#refuse();
      this.#keys.shift();
    }
  }

  clear(): void {
    this.#keys.length = 0;
  }

  #refuse(): never {
    return refuse('while scanning a simple key', "could not find expected ':'", this.#source.pos);
  }
}
