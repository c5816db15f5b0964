/** What is left of a failed request for deciding about it. */
export interface FailedAnswer {
  /** HTTP status; null when the connection failed or timed out. */
  readonly status: number | null;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly message: string;
}

type RetryDecision =
  | { readonly kind: 'give-up' }
  /** Wait at least this long; `limited` when GitHub asked for it. */
  | { readonly kind: 'wait'; readonly ms: number; readonly limited: boolean };

const BASE_MS = 1_000;
const CAP_MS = 30_000;
/** GitHub's advice for a secondary limit without a retry-after header: at least one minute, then longer each time. */
const SECONDARY_MS = 60_000;
const MAX_RETRIES = 6;
/** 409 is a passing state while GitHub works on the repository; more tries than these would not help. */
const MAX_CONFLICT_RETRIES = 3;

/** Full jitter: anything between nothing and the exponential cap. @param random 0 ≤ x < 1 */
export function jitteredMs(attempt: number, random: number, baseMs = BASE_MS, capMs = CAP_MS): number {
  return Math.round(random * Math.min(capMs, baseMs * 2 ** attempt));
}

/**
 * Whether and when to send a failed request again. GitHub's own waiting times come first: retry-after, then the
 * reset of the primary limit, then one minute and growing for a secondary limit.
 * @param attempt failures of this request so far, from 0
 * @param nowMs wall clock
 */
export function retryDecision(
  answer: FailedAnswer,
  attempt: number,
  { nowMs, random }: { nowMs: number; random: number },
): RetryDecision {
  if (isRateLimit(answer)) return { kind: 'wait', ms: limitMs(answer, attempt, nowMs), limited: true };
  if (attempt >= MAX_RETRIES) return { kind: 'give-up' };
  const { status } = answer;
  const passing = status === null || status >= 500 || status === 408;
  const conflict = status === 409 && attempt < MAX_CONFLICT_RETRIES && !/is empty/i.test(answer.message);
  if (!passing && !conflict) return { kind: 'give-up' };
  // A whole base delay on top, so that a jitter of 0 does not hammer a failing service.
  return { kind: 'wait', ms: BASE_MS + jitteredMs(attempt, random), limited: false };
}

/** Limits come as 429 or as 403; a plain 403 is a missing permission. */
export function isRateLimit({ status, headers, message }: FailedAnswer): boolean {
  if (status === 429) return true;
  if (status !== 403) return false;
  return (
    headers['retry-after'] !== undefined ||
    headers['x-ratelimit-remaining'] === '0' ||
    /rate limit|abuse detection/i.test(message)
  );
}

function limitMs({ headers }: FailedAnswer, attempt: number, nowMs: number): number {
  const after = Number(headers['retry-after']);
  if (headers['retry-after'] !== undefined && Number.isFinite(after)) return Math.max(1, after) * 1_000;
  const reset = Number(headers['x-ratelimit-reset']);
  if (headers['x-ratelimit-remaining'] === '0' && Number.isFinite(reset)) {
    return Math.max(1_000, reset * 1_000 - nowMs + 1_000);
  }
  return SECONDARY_MS * 2 ** Math.min(attempt, 4);
}
