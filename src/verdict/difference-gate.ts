import { notInferiorEValue, STOP_EVALUE, worseEValue } from '../stats/e-values.ts';
import { marginP } from '../stats/margin-test.ts';
import type { PairedCounts } from '../stats/tango-score.ts';
import { worseP } from '../stats/worse-test.ts';
import { COLLAPSE_LEVEL, type Looks } from './early-stop-design.ts';

/** What one gate knows after a prefix of the planned order. */
export type GateState = 'pass' | 'fail' | 'open';

/** The last look at a difference: p values of "no worse" and "worse by the margin", and what each had to reach. */
export interface LookResult {
  readonly look: number;
  readonly looks: number;
  readonly pairs: number;
  readonly worse: number;
  readonly marginal: number;
  readonly failAt: number;
  readonly passAt: number;
}

/** A gate of a run that may stop early, with its evidence for people. */
export interface SequentialGate {
  readonly gate: 'floor' | 'task_floor' | 'non_inferiority';
  readonly state: GateState;
  /** e-values of "worse" and "not inferior"; null for floors and where none is asked. */
  readonly worse: number | null;
  readonly notInferior: number | null;
  /** The last look; absent before the first one, and where no looks are planned. */
  readonly test?: LookResult;
}

/** Evidence about the difference, taken pair by pair in planned order. */
export interface DifferenceGate {
  /** @param seen cells of the candidate looked at so far, those without a valid pair included. */
  look(pairs: PairedCounts, seen: number): void;
  gate(): SequentialGate;
}

/**
 * Three looks at the tests of a fixed run, and after every pair one at a collapse.
 *
 * FAIL before the end asks two things: "no worse" is rejected, and the pairs so far lie at or beyond the margin. Without
 * the second a real drop well inside the margin, which a whole run passes with a note, would fail at an early look.
 */
export class LookGate implements DifferenceGate {
  private readonly looks: Looks;
  private readonly margin: number;
  private state: GateState = 'open';
  private test: LookResult | undefined;
  private evidence = { regressed: 0, fixed: 0, value: 1 };

  constructor(looks: Looks, margin: number) {
    this.looks = looks;
    this.margin = margin;
  }

  look(pairs: PairedCounts, seen: number): void {
    if (this.state !== 'open') return;
    const worse = this.worse(pairs);
    const beyond = pairs.n > 0 && pairs.regressed - pairs.fixed >= this.margin * pairs.n - 1e-9;
    const place = this.looks.at.indexOf(seen);
    if (place !== -1) this.state = this.tested({ ...pairs }, place, beyond);
    else if (worse >= 1 / COLLAPSE_LEVEL && beyond) this.state = 'fail';
  }

  private tested(pairs: PairedCounts, place: number, beyond: boolean): GateState {
    const failAt = this.looks.fail[place] ?? 0;
    const passAt = this.looks.pass[place] ?? 0;
    const test: LookResult = {
      look: place + 1,
      looks: this.looks.at.length,
      pairs: pairs.n,
      worse: worseP(pairs, failAt),
      marginal: marginP(pairs, this.margin),
      failAt,
      passAt,
    };
    this.test = test;
    if (test.marginal <= passAt) return 'pass';
    const last = test.look === test.looks;
    return test.worse <= failAt && (last || beyond) ? 'fail' : 'open';
  }

  gate(): SequentialGate {
    return {
      gate: 'non_inferiority',
      state: this.state,
      worse: this.evidence.value,
      notInferior: null,
      ...(this.test === undefined ? {} : { test: this.test }),
    };
  }

  /** Changes with discordant pairs only, and most pairs agree. */
  private worse({ regressed, fixed }: PairedCounts): number {
    if (this.evidence.regressed !== regressed || this.evidence.fixed !== fixed)
      this.evidence = { regressed, fixed, value: worseEValue(regressed, fixed) };
    return this.evidence.value;
  }
}

/** The design of earlier versions: two e-values, each of which may be looked at after every pair. */
export class EValueGate implements DifferenceGate {
  private readonly evidence: (pairs: PairedCounts) => number;
  private settled: GateState | null = null;
  private worse = { regressed: 0, fixed: 0, value: 1 };
  private notInferior = 1;

  constructor(margin: number) {
    this.evidence = notInferiorEValue(margin);
  }

  look(pairs: PairedCounts): void {
    const { regressed, fixed } = pairs;
    if (this.worse.regressed !== regressed || this.worse.fixed !== fixed)
      this.worse = { regressed, fixed, value: worseEValue(regressed, fixed) };
    this.notInferior = this.evidence(pairs);
    // Both in one look is a PASS: the drop is real and inside the margin.
    if (this.notInferior >= STOP_EVALUE) this.settled ??= 'pass';
    else if (this.worse.value >= STOP_EVALUE) this.settled ??= 'fail';
  }

  gate(): SequentialGate {
    const state = this.settled ?? 'open';
    return { gate: 'non_inferiority', state, worse: this.worse.value, notInferior: this.notInferior };
  }
}
