/** Values of a document that JavaScript has no kind for. */

/** The text of a date or time stamp, kept so that it is written back as it was read. */
export class PyTimestamp {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** A number that must be written with a decimal point (`300.0`), which a plain JavaScript number cannot say. */
export class PyFloat {
  readonly value: number;

  constructor(value: number) {
    this.value = value;
  }
}

/** A pair of an ordered mapping (`!!omap`, `!!pairs`): a list for everybody but the peer. */
export class PyTuple extends Array<unknown> {
  static override get [Symbol.species](): ArrayConstructor {
    return Array;
  }
}
