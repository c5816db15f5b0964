import { combine } from './decide.ts';
import {
  type DifferenceGate,
  EValueGate,
  type GateState,
  LookGate,
  type SequentialGate,
} from './difference-gate.ts';
import { looksOf, type StopDesign } from './early-stop-design.ts';
import { extremes, planRun, type StateRuns } from './state-runs.ts';
import { type CompletenessLimits, exceeds } from './tally.ts';
import { type Rules, reachesFloor, wilsonReachesFloor } from './thresholds.ts';

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

/** Of a planned cell, what a walk looks at. */
export interface WalkCell {
  readonly taskId: number;
  readonly initStateId: number;
}

function stateKey({ taskId, initStateId }: WalkCell): string {
  return `${taskId} ${initStateId}`;
}

/** What has been counted of the run, or of one task. */
interface Counts {
  planned: number;
  /** By task and initial state; only where states run several times and a floor is a lower bound. */
  readonly states: Map<string, StateRuns> | null;
  seen: number;
  /** Without a valid outcome on a needed side. */
  lost: number;
  valid: number;
  successes: number;
}

interface WalkSettings {
  readonly rules: Rules;
  readonly limits: CompletenessLimits;
  /** Whether each look has a baseline outcome beside it. */
  readonly compares: boolean;
  readonly design: StopDesign;
}

/** One pass over the planned order, one look per cell. */
export class StopWalk {
  decision: 'PASS' | 'FAIL' | null = null;
  private readonly settings: WalkSettings;
  private readonly overall: Counts;
  private readonly tasks = new Map<number, Counts>();
  private readonly settled = new Map<SequentialGate['gate'], GateState>();
  private readonly difference: DifferenceGate | null;
  private readonly pairs = { n: 0, fixed: 0, regressed: 0 };

  /** @param cells every planned cell of the candidate. */
  constructor(cells: readonly WalkCell[], settings: WalkSettings) {
    this.settings = settings;
    const byState = settings.rules.thresholdMode === 'lower-bound' && settings.design === 'looks';
    const repeated = byState && new Set(cells.map(stateKey)).size < cells.length;
    const none = () => ({ seen: 0, lost: 0, valid: 0, successes: 0, states: repeated ? new Map() : null });
    this.overall = { planned: 0, ...none() };
    for (const cell of cells) {
      const task = this.tasks.get(cell.taskId) ?? { planned: 0, ...none() };
      this.tasks.set(cell.taskId, task);
      for (const counts of [this.overall, task]) {
        counts.planned += 1;
        if (counts.states !== null) planRun(counts.states, stateKey(cell));
      }
    }
    this.difference = settings.compares ? this.differenceGate() : null;
  }

  private differenceGate(): DifferenceGate {
    const { rules, design } = this.settings;
    if (design === 'e-values') return new EValueGate(rules.maxRegression);
    return new LookGate(looksOf(this.overall.planned, this.tasks.size), rules.maxRegression);
  }

  /** Takes the next cell in planned order; null is an outcome that is final and not valid. */
  look(cell: WalkCell, candidate: boolean | null, baseline: boolean | null): void {
    const lost = candidate === null || (this.settings.compares && baseline === null);
    for (const counts of [this.overall, this.tasks.get(cell.taskId)]) {
      if (counts === undefined) continue;
      counts.seen += 1;
      if (lost) counts.lost += 1;
      if (candidate !== null) counts.valid += 1;
      if (candidate === true) counts.successes += 1;
      counts.states?.get(stateKey(cell))?.outcomes.push(candidate);
    }
    if (candidate !== null && baseline !== null) {
      this.pairs.n += 1;
      if (candidate && !baseline) this.pairs.fixed += 1;
      if (baseline && !candidate) this.pairs.regressed += 1;
    }
    this.difference?.look(this.pairs, this.overall.seen);
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
    if (this.difference !== null) gates.push(this.difference.gate());
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
    if (counts.states !== null) {
      const { worst, best } = extremes(counts.states.values());
      if (valid > 0 && reachesFloor(worst.low, worst.n, floor, mode)) return 'pass';
      return reachesFloor(best.low, best.n, floor, mode) ? 'open' : 'fail';
    }
    const reaches = this.settings.design === 'e-values' ? wilsonReachesFloor : reachesFloor;
    if (valid > 0 && reaches(successes, valid + left, floor, mode)) return 'pass';
    return reaches(successes + left, valid + left, floor, mode) ? 'open' : 'fail';
  }
}
