import { type Units, unitsOf } from './tally.ts';

/** The runs of one initial state, of which some may be still to come. */
export interface StateRuns {
  planned: number;
  /** Of the runs looked at; null is no valid outcome. */
  readonly outcomes: (boolean | null)[];
}

/** Counts a planned run of a state. */
export function planRun(states: Map<string, StateRuns>, key: string): void {
  const state = states.get(key) ?? { planned: 0, outcomes: [] };
  state.planned += 1;
  states.set(key, state);
}

/** The units of a rate if every run to come fails, and if every one succeeds; runs that get lost lie between the two. */
export function extremes(states: Iterable<StateRuns>): { readonly worst: Units; readonly best: Units } {
  const all = [...states];
  return { worst: unitsIf(all, 0), best: unitsIf(all, 1) };
}

function unitsIf(states: readonly StateRuns[], toCome: 0 | 1): Units {
  let [known, score] = [0, 0];
  for (const { planned, outcomes } of states) {
    const left = planned - outcomes.length;
    const valid = outcomes.filter((outcome) => outcome !== null).length + left;
    if (valid === 0) continue;
    known += 1;
    score += (outcomes.filter((outcome) => outcome === true).length + toCome * left) / valid;
  }
  return unitsOf({ valid: 0, successes: 0, states: { planned: states.length, valid: known, score } });
}
