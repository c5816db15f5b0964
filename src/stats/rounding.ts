/**
 * The one rounding rule: a printed percentage comes from the counts k and n, never from an already rounded rate,
 * and exact ties go up ("half-up": 1941/2000 prints 97.1). "binary" is what formatting the binary floating-point
 * number 100·k/n gives (1941/2000 prints 97.0); it exists to reproduce tables that others published that way.
 */
export type Rounding = 'half-up' | 'binary';

/**
 * `k` of `n` as a percentage without the sign, e.g. percentOf(465, 500) = "93.0".
 * Domain: whole 0 ≤ k ≤ n, 0 ≤ decimals ≤ 6. n = 0 gives null: no episodes are no rate.
 */
export function percentOf(k: number, n: number, decimals = 1, rounding: Rounding = 'half-up'): string | null {
  if (n === 0) return null;
  if (rounding === 'binary') return ((100 * k) / n).toFixed(decimals);
  return shift(divideHalfUp(BigInt(k) * 100n * 10n ** BigInt(decimals), BigInt(n)), decimals);
}

/**
 * A rate that is no quotient of counts (an interval's end, a macro mean) as a percentage without the sign:
 * half away from zero on the shortest decimal text of 100·rate, so that 0.285 prints as 28.5 and not as 28.4999.
 * NaN and infinities give null.
 */
export function percentOfRate(rate: number, decimals = 1): string | null {
  return fixed(rate * 100, decimals);
}

/** A difference of rates in points with its sign, e.g. points(-0.04) = "−4.0" (with a true minus sign), zero "0.0". */
export function points(difference: number, decimals = 1): string | null {
  const text = fixed(Math.abs(difference) * 100, decimals);
  if (text === null) return null;
  if (Number(text) === 0) return text;
  return `${difference < 0 ? '−' : '+'}${text}`;
}

/** A number with fixed decimals, half away from zero; null when it is not finite. */
export function fixed(value: number, decimals: number): string | null {
  if (!Number.isFinite(value)) return null;
  // 12 significant digits first: 100 * 0.57 is 56.99999999999999 in binary, and nobody means that.
  const settled = Number(value.toPrecision(12));
  const sign = settled < 0 ? '-' : '';
  const [mantissa = '0', exponent = '0'] = Math.abs(settled).toExponential().split('e');
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
