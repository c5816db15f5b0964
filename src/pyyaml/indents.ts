/** Columns of the blocks around a place; -1 outside of all. */
export class Indents {
  current = -1;
  readonly #outer: number[] = [];

  /** Begins a block at a column, if that is deeper. */
  open(column: number): boolean {
    if (this.current >= column) return false;
    this.#outer.push(this.current);
    this.current = column;
    return true;
  }

  /** Ends the innermost block, if it is deeper than a column. */
  close(column: number): boolean {
    if (this.current <= column) return false;
    this.current = this.#outer.pop() ?? -1;
    return true;
  }
}
