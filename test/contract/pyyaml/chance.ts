/** A small random generator (mulberry32), so that a seed repeats a run. */
export class Chance {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** An integer from 0 up to, not including, `below`. */
  below(below: number): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  }

  one<T>(from: readonly T[]): T {
    const value = from[this.below(from.length)];
    if (value === undefined) throw new RangeError('nothing to choose from');
    return value;
  }

  /** True once in `times`. */
  in(times: number): boolean {
    return this.below(times) === 0;
  }

  many<T>(count: number, make: () => T): T[] {
    return Array.from({ length: count }, make);
  }
}
