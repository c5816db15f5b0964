import type { Decision } from '../../model/verdict.ts';

/** What a reason means in a word or two, the weightiest first; docs/report-codes.md has each code. */
const RULINGS: Readonly<Record<Decision['verdict'], readonly (readonly [RegExp, string])[]>> = {
  FAIL: [
    [/^(?:average_)?regression$/, 'worse'],
    [/^anchor_regression$/, 'worse than the anchor'],
    [/^floor_missed$/, 'below the floor'],
    [/^task_floor_missed$/, 'a task below its floor'],
    [/^heldout_(?:task_)?floor$/, 'below the floor of the held-out cells'],
    [/^tasks_dropped$/, 'tasks left out'],
  ],
  INCONCLUSIVE: [
    [/cannot_tell/, 'cannot tell'],
    [/^floor_(?:inside_interval|not_proven)$/, 'too few episodes for the floor'],
    [/^(?:no_gate|no_baseline)$/, 'nothing to compare with'],
    [/nothing_to_show$/, 'nothing shown'],
    [/_not_comparable$/, 'not comparable'],
  ],
  INVALID: [
    [/incomplete$/, 'incomplete'],
    [/^(?:no_episodes|no_pairs)$/, 'no result'],
    [/^fingerprint_differs$/, 'another protocol than the baseline'],
    [/^baseline_/, 'the baseline does not fit'],
    [/^policy_changed$/, 'the policy changed'],
  ],
  PASS: [
    [/^(?:average_|anchor_)?not_inferior$/, 'not worse'],
    [/^drop_inside_margin$/, 'a drop inside the margin'],
    [/floor_reached$/, 'floor reached'],
  ],
};
const OTHERWISE: Readonly<Record<Decision['verdict'], string>> = {
  PASS: 'every gate is met',
  FAIL: 'a gate is missed',
  INCONCLUSIVE: 'not decided',
  INVALID: 'cannot be used',
};

/** The verdict's main reason in a word or two, for a line that is read in seconds. Pure. */
export function rulingOf({ verdict, reasons }: Decision): string {
  const found = RULINGS[verdict].find(([code]) => reasons.some((reason) => code.test(reason.code)));
  return found?.[1] ?? OTHERWISE[verdict];
}
