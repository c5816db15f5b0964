import type { Outcome } from '../model/episode-record.ts';
import type { Plan } from '../model/plan.ts';
import { stopDesignOf } from './early-stop-design.ts';
import { type StopState, StopWalk, type WalkCell } from './early-stop-walk.ts';
import { pairKey, validOutcome } from './pairing.ts';
import type { CompletenessLimits } from './tally.ts';

/** What the other side of a look is. */
type StopOpponent =
  | { readonly kind: 'none' }
  /** The plan's second arm: its cells must be resolved like ours. */
  | { readonly kind: 'arm' }
  /** Another run's outcomes by `pairKey`, final as they are, gaps included. */
  | { readonly kind: 'records'; readonly outcomes: ReadonlyMap<string, Outcome> };

/** Final outcome of the cell at a position of the plan; null or undefined while a session of it is still to come. */
type ResolvedOutcome = (position: number) => Outcome | null | undefined;

interface Look extends WalkCell {
  readonly key: string;
  readonly candidate: number;
  /** Position of the same cell in the second arm, null where there is none. */
  readonly baseline: number | null;
}

/**
 * The process of an early stop, one look per planned cell of the candidate, in planned order. It goes on from where it
 * was and never looks at a cell twice, so what it knows is a function of outcomes and order alone: a resumed run and a
 * later check come to the same state.
 */
export class StopProcess {
  private readonly plan: Plan;
  private readonly opponent: StopOpponent;
  private readonly looks: readonly Look[];
  private readonly walk: StopWalk;
  private next = 0;

  constructor(plan: Plan, opponent: StopOpponent, limits: CompletenessLimits) {
    this.plan = plan;
    this.opponent = opponent;
    this.looks = looksOf(plan);
    this.walk = new StopWalk(this.looks, {
      rules: plan.thresholds,
      limits,
      compares: opponent.kind !== 'none',
      design: stopDesignOf(plan),
    });
  }

  /** Looks at every cell whose turn has come and stops at the first look that decides. */
  advance(outcomeOf: ResolvedOutcome): StopState {
    while (this.walk.decision === null) {
      const look = this.looks[this.next];
      if (look === undefined) break;
      const left = resolved(outcomeOf(look.candidate));
      const right = this.opponentOutcome(look, outcomeOf);
      if (left === null || right === 'open') break;
      this.walk.look(look, this.valid(left), right === null ? null : this.valid(right));
      this.next += 1;
    }
    return this.walk.state();
  }

  private opponentOutcome(look: Look, outcomeOf: ResolvedOutcome): Outcome | null | 'open' {
    switch (this.opponent.kind) {
      case 'none':
        return null;
      case 'records':
        return this.opponent.outcomes.get(look.key) ?? null;
      case 'arm':
        return look.baseline === null ? null : (resolved(outcomeOf(look.baseline)) ?? 'open');
    }
  }

  private valid(outcome: Outcome): boolean | null {
    return validOutcome(outcome, this.plan.timeoutsAs);
  }
}

function looksOf(plan: Plan): Look[] {
  const keyed = plan.cells.map((cell, position) => ({
    cell,
    position,
    key: pairKey({ suite: plan.suite, ...cell }),
  }));
  const partners = new Map(
    keyed.filter(({ cell }) => cell.arm === 'baseline').map(({ key, position }) => [key, position]),
  );
  return keyed
    .filter(({ cell }) => cell.arm === 'candidate')
    .map(({ cell, position, key }) => ({
      taskId: cell.taskId,
      initStateId: cell.initStateId,
      key,
      candidate: position,
      baseline: partners.get(key) ?? null,
    }));
}

function resolved(outcome: Outcome | null | undefined): Outcome | null {
  return outcome === undefined || outcome === 'not_run' || outcome === 'after_stop' ? null : outcome;
}
