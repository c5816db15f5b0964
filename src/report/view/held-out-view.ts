import type { HeldOutSummary } from '../../model/held-out-summary.ts';
import { percentOf, points } from '../../stats/rounding.ts';
import { intervalText } from '../text/format.ts';

/** `Held-out: 27 of 30 valid episodes succeeded (90.0 %, 95 % 74.4–96.5).` for each arm; nothing without held-out cells. */
export function heldOutLines(summary: HeldOutSummary | null): string[] {
  if (summary === null) return [];
  const several = summary.arms.length > 1;
  const lines = summary.arms.map((arm) => {
    const { k, n } = arm.successRate;
    const name = several ? `Held-out, ${arm.arm}` : 'Held-out';
    const lost = arm.planned - arm.valid;
    const missing = lost === 0 ? '' : ` ${lost} of ${arm.planned} planned have no valid outcome.`;
    const percent = percentOf(k, n);
    if (percent === null) return `${name}: no valid episode of ${arm.planned} planned.`;
    return `${name}: ${k} of ${n} valid episodes succeeded (${percent}%, 95 % ${intervalText(arm.successRate)}).${missing}`;
  });
  const { paired } = summary;
  if (paired === null) return lines;
  const difference = `Held-out difference: ${points(paired.delta) ?? '–'} points on ${paired.pairs} pairs (90 % ${points(paired.low) ?? '–'} to ${points(paired.high) ?? '–'}), ${paired.fixed} fixed, ${paired.regressed} regressed.`;
  return [...lines, difference];
}

/** What a reader cannot check about held-out cells. */
export function heldOutLimits(summary: HeldOutSummary | null): string[] {
  if (summary === null) return [];
  return [
    `The ${summary.count} held-out cells are not named. Their numbers were computed and can be verified only on the host that keeps their bundle (manifest ${summary.manifestSha256.slice(0, 12)}); the list itself is bound by the plan's commitment ${summary.commitment.slice(0, 12)}.`,
  ];
}
