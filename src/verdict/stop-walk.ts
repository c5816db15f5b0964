import { notInferiorEValue, STOP_EVALUE, worseEValue } from '../stats/e-values.ts';
import { combine } from './decide.ts';
import { type CompletenessLimits, exceeds } from './tally.ts';
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

/** State of an early-stopping run. Derived from records alone, so a resumed run goes on where it was. */
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
  /** Without a valid outcome on a needed side. */
  lost: number;
  valid: number;
  successes: number;
}

export interface WalkSettings {
  readonly rules: Rules;
  readonly limits: CompletenessLimits;
  /** Whether each look has a baseline outcome beside it. */
  readonly compares: boolean;
}

/** One pass over the planned order, one look per cell. */
export class StopWalk {
  decision: 'PASS' | 'FAIL' | null = null;
  private readonly settings: WalkSettings;
  private readonly overall: Counts;
  private readonly tasks = new Map<number, Counts>();
  private readonly settled = new Map<SequentialGate['gate'], GateState>();
  private lastWorse = { regressed: 0, fixed: 0, value: 1 };
  private readonly pairs = { n: 0, fixed: 0, regressed: 0 };

  /** @param taskIds the task of every planned cell of the candidate. */
  constructor(taskIds: readonly number[], settings: WalkSettings) {
    this.settings = settings;
    const none = { seen: 0, lost: 0, valid: 0, successes: 0 };
    this.overall = { planned: taskIds.length, ...none };
    for (const taskId of taskIds) {
      const task = this.tasks.get(taskId) ?? { planned: 0, ...none };
      task.planned += 1;
      this.tasks.set(taskId, task);
    }
  }

  /** Takes the next cell in planned order; null is an outcome that is final and not valid. */
  look(taskId: number, candidate: boolean | null, baseline: boolean | null): void {
    const lost = candidate === null || (this.settings.compares && baseline === null);
    for (const counts of [this.overall, this.tasks.get(taskId)]) {
      if (counts === undefined) continue;
      counts.seen += 1;
      if (lost) counts.lost += 1;
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
    if (verdict !== 'INCONCLUSIVE' && this.complete()) this.decision = verdict;
  }

  /** Stopping on a prefix with too many gaps would only give an INVALID run, so a proven verdict waits. */
  private complete(): boolean {
    const { overall, perTask } = this.settings.limits;
    const within = (counts: Counts, share: number): boolean => !exceeds(counts.lost, counts.seen, share);
    return within(this.overall, overall) && [...this.tasks.values()].every((task) => within(task, perTask));
  }

  state(): StopState {
    return {
      decision: this.decision,
      prefix: this.overall.seen,
      planned: this.overall.planned,
      skipped: this.overall.lost,
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
    const { minSuccessRate, minTaskSuccessRate } = this.settings.rules;
    if (minSuccessRate !== null) {
      gates.push(this.floor('floor', [this.curtail(this.overall, minSuccessRate)]));
    }
    if (minTaskSuccessRate !== null) {
      const states = [...this.tasks.values()].map((task) => this.curtail(task, minTaskSuccessRate));
      gates.push(this.floor('task_floor', states));
    }
    if (this.settings.compares) gates.push(this.nonInferiority());
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
    const mode = this.settings.rules.thresholdMode;
    if (valid > 0 && reachesFloor(successes, valid + left, floor, mode)) return 'pass';
    return reachesFloor(successes + left, valid + left, floor, mode) ? 'open' : 'fail';
  }

  /** Changes with discordant pairs only, and most pairs agree. */
  private worse(): number {
    const { regressed, fixed } = this.pairs;
    if (this.lastWorse.regressed !== regressed || this.lastWorse.fixed !== fixed) {
      this.lastWorse = { regressed, fixed, value: worseEValue(regressed, fixed) };
    }
    return this.lastWorse.value;
  }

  private nonInferiority(): SequentialGate {
    const gate = 'non_inferiority' as const;
    const worse = this.worse();
    const notInferior = notInferiorEValue(this.pairs, this.settings.rules.maxRegression);
    // Both in one look is a PASS: the drop is real and inside the margin.
    const state = notInferior >= STOP_EVALUE ? 'pass' : worse >= STOP_EVALUE ? 'fail' : 'open';
    return { gate, state: this.settled.get(gate) ?? state, worse, notInferior };
  }
}
