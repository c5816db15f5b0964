import type { Problem } from '../errors/rb-error.ts';
import { possibleSuccesses } from '../stats/arithmetic-check.ts';

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
    const message = 'this is no published rate.';
    return { problem: claimProblem('RB604', where, message, text) };
  }
  if (candidates.length === 0) {
    const message = `no whole number of successes in ${n} rollouts prints as ${rate?.[1]}%.`;
    return { problem: claimProblem('RB603', where, message, text) };
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
