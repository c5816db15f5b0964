/** What a reader gives where there is no value: in words, why. The words complete a sentence of whoever asked. */
export class WhyNot {
  readonly why: string;

  constructor(why: string) {
    this.why = why;
  }
}
