/** Frames of a film strip; the last place is for the end of the episode. */
export const MOST_FRAMES = 16;
const MOST_SPREAD = MOST_FRAMES - 1;

/**
 * Chooses evenly spread frames of a stream whose length nobody knows: every k-th is kept, and k doubles when there are too
 * many. Which frames remain follows from their number alone.
 */
export class Spread {
  #every = 1;
  #seen = 0;
  #kept = 0;

  /** Frames that were offered. */
  get seen(): number {
    return this.#seen;
  }

  /** Of the frames that were kept, those remain whose index is a multiple of this. */
  get every(): number {
    return this.#every;
  }

  /**
   * Offers the next frame.
   * @returns its index when it is to be kept; null when not.
   */
  next(): number | null {
    const index = this.#seen;
    this.#seen += 1;
    if (index % this.#every !== 0) return null;
    if (this.#kept === MOST_SPREAD) {
      this.#every *= 2;
      this.#kept = Math.ceil(this.#kept / 2);
      if (index % this.#every !== 0) return null;
    }
    this.#kept += 1;
    return index;
  }
}
