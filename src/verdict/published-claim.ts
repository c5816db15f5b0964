import type { Problem } from '../errors/rb-error.ts';
import { possibleSuccesses } from '../stats/arithmetic-check.ts';
import { percentOf } from '../stats/rounding.ts';

/** True for what can only be meant as a published count or percentage; anything else may be a path. */
export function looksLikeClaim(text: string): boolean {
  return /^\s*(?:\d+\s*\/\s*\d+|\d+(?:\.\d+)?\s*%.*)$/.test(text);
}

/** A published count as people write it, read; or the problem with it. */
type Claim =
  | { readonly successes: number; readonly n: number; readonly note: string | null }
  | { readonly problem: ClaimProblem };

type ClaimProblem = Problem & { readonly code: 'RB603' | 'RB604' };

/**
 * Reads `486/500` or `97.2% of 500` (also `97.2%/500`). The percentage is checked: some whole number of successes
 * must give it (statistics of published tables fail here surprisingly often). When several do, the nearest counts,
 * at a tie the larger, and a note says so.
 * @param where the input's name, for the message.
 */
export function readClaim(text: string, where: string): Claim {
  const count = /^\s*(\d{1,9})\s*\/\s*(\d{1,9})\s*$/.exec(text);
  if (count !== null) return readCount(Number(count[1]), Number(count[2]), where);
  const rate = /^\s*(\d{1,3}(?:\.\d{1,9})?)\s*%\s*(?:of|\/)\s*(\d{1,9})\s*$/.exec(text);
  const n = Number(rate?.[2] ?? 0);
  const candidates = rate === null ? null : possibleSuccesses(rate[1] ?? '', n);
  if (candidates === null) {
    const bare = /^\s*(\d{1,3}(?:\.\d{1,9})?)\s*%\s*$/.exec(text)?.[1];
    if (bare === undefined)
      return { problem: claimProblem('RB604', where, 'this is no published rate.', text) };
    const message = 'a rate alone does not say of how many episodes it is.';
    const fix = `Write of how many, for example \`${bare}% of 500\` if it was 500.`;
    return { problem: { ...claimProblem('RB604', where, message, text), fix } };
  }
  if (candidates.length === 0) {
    const message = `no whole number of successes in ${n} rollouts prints as ${rate?.[1]}%.`;
    const fix = nearestText(Number(rate?.[1]), n);
    const problem = claimProblem('RB603', where, message, text);
    return { problem: fix === null ? problem : { ...problem, fix } };
  }
  const exact = (Number(rate?.[1]) * n) / 100;
  const successes = candidates.reduce((best, k) =>
    Math.abs(k - exact) <= Math.abs(best - exact) ? k : best,
  );
  const others = candidates.filter((k) => k !== successes);
  const note =
    others.length === 0
      ? null
      : `${text.trim()} may stand for ${candidates.slice(0, 3).join(', ')}${candidates.length > 3 ? ' …' : ''} successes; ${successes} is used.`;
  return { successes, n, note };
}

/** `The nearest are 42/50 = 84.0% and 43/50 = 86.0%.`; null where nothing was counted. */
function nearestText(percent: number, n: number): string | null {
  if (n === 0) return null;
  const below = Math.floor((percent * n) / 100);
  const counts = [below, below + 1].filter((k) => k <= n);
  const shown = counts.map((k) => `${k}/${n} = ${percentOf(k, n)}%`);
  return `Correct the rate or the count. The nearest ${shown.length === 1 ? 'is' : 'are'} ${shown.join(' and ')}.`;
}

function readCount(successes: number, n: number, where: string): Claim {
  if (n > 0 && successes <= n) return { successes, n, note: null };
  const message = n === 0 ? 'a baseline without rollouts says nothing.' : 'more successes than rollouts.';
  return { problem: claimProblem('RB604', where, message, `${successes}/${n}`) };
}

function claimProblem(
  code: ClaimProblem['code'],
  where: string,
  message: string,
  value: string,
): ClaimProblem {
  return {
    code,
    where,
    message,
    value: value.slice(0, 80),
    fix: 'Give the count itself, e.g. `486/500`, or the percentage as printed, e.g. `97.2% of 500`.',
    severity: 'fatal',
  };
}
