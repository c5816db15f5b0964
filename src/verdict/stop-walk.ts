import { notInferiorEValue, STOP_EVALUE, worseEValue } from '../stats/e-process.ts';
import { combine } from './decide.ts';
import { type Rules, reachesFloor } from './thresholds.ts';

/** What one gate knows after a prefix of the planned order. */
export type GateState = 'pass' | 'fail' | 'open';

/** A gate of a run that may stop early, with its evidence for people. */
export interface SequentialGate {
  readonly gate: 'floor' | 'task_floor' | 'non_inferiority';
  readonly state: GateState;
  /** e-values of "worse" and "not inferior"; null for floors, which need no statistics. */
  readonly worse: number | null;
  readonly notInferior: number | null;
}

/** State of an early-stopping run. Derived from records alone, so a resumed run continues the same process. */
export interface StopState {
  /** PASS or FAIL once proven; null while the run must go on, or when it ended undecided. */
  readonly decision: 'PASS' | 'FAIL' | null;
  /** Cells of the candidate (pairs, when compared) looked at: up to the decision, else the resolved prefix. */
  readonly prefix: number;
  readonly planned: number;
  /** Of these, without a valid outcome on a needed side: skipped and counted. */
  readonly skipped: number;
  readonly successes: number;
  readonly valid: number;
  readonly pairs: number;
  readonly regressed: number;
  readonly fixed: number;
  readonly gates: readonly SequentialGate[];
}

/** What has been counted of the run, or of one task. */
interface Counts {
  planned: number;
  seen: number;
  valid: number;
  successes: number;
}

/** One pass over the planned order, one look per cell. */
export class StopWalk {
  decision: 'PASS' | 'FAIL' | null = null;
  private readonly rules: Rules;
  private readonly compares: boolean;
  private readonly overall: Counts;
  private readonly tasks = new Map<number, Counts>();
  private readonly settled = new Map<SequentialGate['gate'], GateState>();
  private readonly pairs = { n: 0, fixed: 0, regressed: 0 };
  private skipped = 0;

  /**
   * @param taskIds the task of every planned cell of the candidate.
   * @param compares whether each look has a baseline outcome beside it.
   */
  constructor(rules: Rules, taskIds: readonly number[], compares: boolean) {
    this.rules = rules;
    this.compares = compares;
    this.overall = { planned: taskIds.length, seen: 0, valid: 0, successes: 0 };
    for (const taskId of taskIds) {
      const task = this.tasks.get(taskId) ?? { planned: 0, seen: 0, valid: 0, successes: 0 };
      task.planned += 1;
      this.tasks.set(taskId, task);
    }
  }

  /** Takes the next cell in planned order; null is an outcome that is final and not valid. */
  look(taskId: number, candidate: boolean | null, baseline: boolean | null): void {
    if (candidate === null || (this.compares && baseline === null)) this.skipped += 1;
    for (const counts of [this.overall, this.tasks.get(taskId)]) {
      if (counts === undefined) continue;
      counts.seen += 1;
      if (candidate !== null) counts.valid += 1;
      if (candidate === true) counts.successes += 1;
    }
    if (candidate !== null && baseline !== null) {
      this.pairs.n += 1;
      if (candidate && !baseline) this.pairs.fixed += 1;
      if (baseline && !candidate) this.pairs.regressed += 1;
    }
    const gates = this.gates();
    for (const { gate, state } of gates) if (state !== 'open') this.settled.set(gate, state);
    const verdict = combine(
      gates.map(({ state }) => ({ result: state === 'open' ? ('inconclusive' as const) : state })),
    );
    if (verdict !== 'INCONCLUSIVE') this.decision = verdict;
  }

  state(): StopState {
    return {
      decision: this.decision,
      prefix: this.overall.seen,
      planned: this.overall.planned,
      skipped: this.skipped,
      successes: this.overall.successes,
      valid: this.overall.valid,
      pairs: this.pairs.n,
      regressed: this.pairs.regressed,
      fixed: this.pairs.fixed,
      gates: this.gates(),
    };
  }

  private gates(): SequentialGate[] {
    const gates: SequentialGate[] = [];
    const { minSuccessRate, minTaskSuccessRate } = this.rules;
    if (minSuccessRate !== null) {
      gates.push(this.floor('floor', [this.curtail(this.overall, minSuccessRate)]));
    }
    if (minTaskSuccessRate !== null) {
      const states = [...this.tasks.values()].map((task) => this.curtail(task, minTaskSuccessRate));
      gates.push(this.floor('task_floor', states));
    }
    if (this.compares) gates.push(this.nonInferiority());
    return gates;
  }

  private floor(gate: 'floor' | 'task_floor', parts: readonly GateState[]): SequentialGate {
    const state = parts.includes('fail') ? 'fail' : parts.every((part) => part === 'pass') ? 'pass' : 'open';
    return { gate, state: this.settled.get(gate) ?? state, worse: null, notInferior: null };
  }

  /**
   * Exact: what the full run must say whatever comes. In the best case all cells to come succeed, in the worst all
   * fail; cells to come that get lost leave the rate between the two.
   */
  private curtail(counts: Counts, floor: number): GateState {
    const { valid, successes } = counts;
    const left = counts.planned - counts.seen;
    const mode = this.rules.thresholdMode;
    if (valid > 0 && reachesFloor(successes, valid + left, floor, mode)) return 'pass';
    return reachesFloor(successes + left, valid + left, floor, mode) ? 'open' : 'fail';
  }

  private nonInferiority(): SequentialGate {
    const gate = 'non_inferiority' as const;
    const worse = worseEValue(this.pairs.regressed, this.pairs.fixed);
    const notInferior = notInferiorEValue(this.pairs, this.rules.maxRegression);
    // Both in one look is a PASS: the drop is real and inside the margin.
    const state = notInferior >= STOP_EVALUE ? 'pass' : worse >= STOP_EVALUE ? 'fail' : 'open';
    return { gate, state: this.settled.get(gate) ?? state, worse, notInferior };
  }
}
