/**
 * The one rounding rule: a printed percentage comes from the counts k and n, never from an already rounded rate,
 * and exact ties go up ("half-up": 1941/2000 prints 97.1). "binary" is what formatting the binary floating-point
 * number 100·k/n gives (1941/2000 prints 97.0); it exists to reproduce tables that others published that way.
 */
type Rounding = 'half-up' | 'binary';

/**
 * `k` of `n` as a percentage without the sign, e.g. percentOf(465, 500) = "93.0". What only rounds to all or nothing is
 * neither: percentOf(1999, 2000) = ">99.9", percentOf(1, 3000) = "<0.1" (half-up only: tables of others do not know it).
 * Domain: whole 0 ≤ k ≤ n, 0 ≤ decimals ≤ 6. n = 0 gives null: no episodes are no rate.
 */
export function percentOf(k: number, n: number, decimals = 1, rounding: Rounding = 'half-up'): string | null {
  if (n === 0) return null;
  if (rounding === 'binary') return ((100 * k) / n).toFixed(decimals);
  const text = shift(divideHalfUp(BigInt(k) * 100n * 10n ** BigInt(decimals), BigInt(n)), decimals);
  return notQuite(text, { none: k === 0, all: k === n }, decimals);
}

/**
 * `k` of `n` as `percentOf`, with as many more decimals (up to 6) as it takes to stand on the same side of a bound as
 * the rate does: 839.6 of 1000 is not "84.0" beside a floor of 84 %, it is "83.96". Domain: as percentOf, n > 0.
 */
export function percentBeside(k: number, n: number, bound: number): string | null {
  for (let decimals = 1; decimals < 6; decimals += 1) {
    const text = percentOf(k, n, decimals);
    const shown = Number(text?.replace(/^[<>]/, '')) - bound * 100;
    if (text === null || Math.sign(settled(shown)) === Math.sign(settled((k / n - bound) * 100))) return text;
  }
  return percentOf(k, n, 6);
}

/**
 * A rate that is no quotient of counts (an interval's end, a macro mean) as a percentage without the sign:
 * half away from zero on the shortest decimal text of 100·rate, so that 0.285 prints as 28.5 and not as 28.4999.
 * As with counts, all and nothing are printed only where they are there. NaN and infinities give null.
 */
export function percentOfRate(rate: number, decimals = 1): string | null {
  const text = fixed(rate * 100, decimals);
  const exact = settled(rate);
  return text === null ? null : notQuite(text, { none: exact <= 0, all: exact >= 1 }, decimals);
}

/** A rate that a person chose, as a percentage with all of its digits: givenPercent(0.8404) = "84.04", of 0.9 "90". */
export function givenPercent(rate: number): string {
  return String(settled(rate * 100));
}

/**
 * A difference of rates in points with its sign, e.g. points(-0.04) = "−4.0" (with a true minus sign), zero "0.0". What
 * only rounds to zero gets the digits (at most 6) that show its sign: −0.04 points are "−0.04".
 */
export function points(difference: number, decimals = 1): string | null {
  const size = Math.abs(difference) * 100;
  const digits = [decimals, 2, 3, 4, 5, 6].find(
    (each) => each >= decimals && Number(fixed(size, each)) !== 0,
  );
  const text = fixed(size, digits ?? decimals);
  if (text === null) return null;
  if (Number(text) === 0) return text;
  return `${difference < 0 ? '−' : '+'}${text}`;
}

/** `100.0` and `0.0` only for what is all or nothing. */
function notQuite(text: string, is: { none: boolean; all: boolean }, decimals: number): string {
  if (Number(text) === 0 && !is.none) return `<${shift(1n, decimals)}`;
  if (Number(text) === 100 && !is.all) return `>${shift(100n * 10n ** BigInt(decimals) - 1n, decimals)}`;
  return text;
}

/** Without binary dust: 100 * 0.57 is 56.99999999999999, and nobody means that. */
function settled(value: number): number {
  return Math.abs(value) < 1e-12 ? 0 : Number(value.toPrecision(12));
}

/** A number with fixed decimals, half away from zero; null when it is not finite. */
export function fixed(value: number, decimals: number): string | null {
  if (!Number.isFinite(value)) return null;
  const exact = settled(value);
  const sign = exact < 0 ? '-' : '';
  const [mantissa = '0', exponent = '0'] = Math.abs(exact).toExponential().split('e');
  const digits = mantissa.replace('.', '');
  const scale = Number(exponent) - (digits.length - 1) + decimals;
  const whole =
    scale >= 0 ? BigInt(digits) * 10n ** BigInt(scale) : divideHalfUp(BigInt(digits), 10n ** BigInt(-scale));
  return (whole === 0n ? '' : sign) + shift(whole, decimals);
}

function divideHalfUp(numerator: bigint, denominator: bigint): bigint {
  return (2n * numerator + denominator) / (2n * denominator);
}

/** 930 with one decimal → "93.0". */
function shift(whole: bigint, decimals: number): string {
  const digits = whole.toString().padStart(decimals + 1, '0');
  return decimals === 0 ? digits : `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}
