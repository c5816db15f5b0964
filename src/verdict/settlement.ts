import type { RunFacts } from '../model/run-facts.ts';
import type { Reason } from '../model/verdict.ts';

/** INVALID when the measured target, its contract or the skill runtime was another one at the end. Pure. */
export function settlementReasons({ settlement }: Pick<RunFacts, 'settlement'>): Reason[] {
  if (settlement?.measuredUnchanged !== false) return [];
  const what = settlement.changes
    .filter(({ concerns }) => concerns === 'measured')
    .map((change) => change.what);
  const text = `What is measured changed during the run: ${what.join('; ')}. Measure again, with nobody editing it meanwhile.`;
  return [{ code: 'measured_changed', text }];
}
