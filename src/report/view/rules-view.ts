import type { Decision } from '../../model/verdict.ts';

/** `met` and `missed` are rules that decide; `open`: one that this run cannot tell of; `broken`: why nothing can be told. */
export type RuleState = 'met' | 'missed' | 'open' | 'broken' | 'said';

export interface RuleRow {
  readonly state: RuleState;
  readonly text: string;
}

/** What the reason of a rule says became of it; docs/report-codes.md has each code. The first that fits. */
const STATES: readonly (readonly [RegExp, RuleState])[] = [
  [/(?:^|_)(?:floor_reached|not_inferior|drop_inside_margin)$/, 'met'],
  [/^early_\w+_pass$/, 'met'],
  [/cannot_tell|floor_(?:inside_interval|not_proven|unknown)$|^early_\w+_open$/, 'open'],
  [/^(?:no_gate|no_baseline)$|nothing_to_show$|_not_comparable$|_missing$/, 'open'],
  [/(?:^|_)regression$|floor_missed$|^heldout_(?:task_)?floor$|^tasks_dropped$|^early_\w+_fail$/, 'missed'],
];

/** Each rule of a decision with what became of it, in the order of the reasons. Pure. */
export function ruleRows({ verdict, reasons }: Decision): RuleRow[] {
  return reasons.map(({ code, text }) => ({ text, state: stateOf(code, verdict) }));
}

function stateOf(code: string, verdict: Decision['verdict']): RuleState {
  const found = STATES.find(([pattern]) => pattern.test(code));
  if (found !== undefined) return found[1];
  return verdict === 'INVALID' ? 'broken' : 'said';
}
