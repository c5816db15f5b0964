/** Wakes a loop that waits; a wish that comes while nobody waits is kept. */
export class Wake {
  #isDue = false;
  #resolve: (() => void) | null = null;
  #timer: NodeJS.Timeout | null = null;

  now(): void {
    this.#isDue = true;
    this.#resolve?.();
  }

  /** Wakes at the latest after so many milliseconds. */
  in(ms: number): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.now(), Math.min(Math.max(ms, 0), 2 ** 31 - 1));
    this.#timer.unref();
  }

  async next(): Promise<void> {
    if (!this.#isDue) {
      await new Promise<void>((resolve) => {
        this.#resolve = resolve;
      });
    }
    this.#resolve = null;
    this.#isDue = false;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }
}
