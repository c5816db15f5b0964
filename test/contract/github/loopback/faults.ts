/** Something that goes wrong on demand. */
export interface Fault {
  /** Operation id such as `git/update-ref`; `*` for every one. */
  readonly operation: string;
  /** How many requests it meets; 1 unless told. */
  readonly times?: number;
  /** Requests that pass before the first is met. */
  readonly after?: number;
  /** The request takes effect before it fails: the answer gets lost on its way. */
  readonly takesEffect?: boolean;
  readonly failure:
    | {
        readonly kind: 'answer';
        readonly status: number;
        readonly body?: unknown;
        readonly headers?: Record<string, string>;
      }
    | { readonly kind: 'drop' }
    | { readonly kind: 'slow'; readonly delayMs: number };
}

interface Armed {
  readonly fault: Fault;
  passes: number;
  left: number;
}

export class Faults {
  readonly #armed: Armed[] = [];

  add(fault: Fault): void {
    this.#armed.push({ fault, passes: fault.after ?? 0, left: fault.times ?? 1 });
  }

  take(operation: string): Fault | null {
    for (const armed of this.#armed) {
      if (armed.left === 0 || (armed.fault.operation !== '*' && armed.fault.operation !== operation))
        continue;
      if (armed.passes > 0) {
        armed.passes -= 1;
        continue;
      }
      armed.left -= 1;
      return armed.fault;
    }
    return null;
  }
}

const answer = (status: number, message: string, headers: Record<string, string> = {}): Fault['failure'] => ({
  kind: 'answer',
  status,
  body: { message, documentation_url: 'https://docs.github.com/rest', status: String(status) },
  headers,
});

const DROP: Fault['failure'] = { kind: 'drop' };
const BAD_GATEWAY: Fault['failure'] = {
  kind: 'answer',
  status: 502,
  body: '<html>502</html>',
  headers: { 'content-type': 'text/html' },
};

/** The failures GitHub documents, as it words them. */
export const FAILURES = {
  badCredentials: answer(401, 'Bad credentials'),
  notPermitted: answer(403, 'Resource not accessible by integration'),
  samlRequired: answer(
    403,
    'Resource protected by organization SAML enforcement. You must grant your OAuth token access.',
  ),
  blockedByAllowList: answer(
    403,
    'Although you appear to have the correct authorization credentials, the organization has an IP allow list enabled, and your IP address is not permitted to access this resource.',
  ),
  primaryLimit: (resetSeconds: number) =>
    answer(403, 'API rate limit exceeded for installation.', {
      'x-ratelimit-remaining': '0',
      'x-ratelimit-reset': String(resetSeconds),
    }),
  secondaryLimit: (retryAfterS?: number) =>
    answer(
      403,
      'You have exceeded a secondary rate limit. Please wait a few minutes before you try again.',
      retryAfterS === undefined ? {} : { 'retry-after': String(retryAfterS) },
    ),
  tooManyRequests: (retryAfterS?: number) =>
    answer(429, 'Too many requests', retryAfterS === undefined ? {} : { 'retry-after': String(retryAfterS) }),
  notFound: answer(404, 'Not Found'),
  conflict: answer(409, 'Conflict'),
  notFastForward: answer(422, 'Update is not a fast forward'),
  ruleViolation: answer(422, 'Repository rule violations found\n\nCannot update this protected ref.\n\n'),
  serverError: answer(500, 'Server Error'),
  badGateway: BAD_GATEWAY,
  unavailable: answer(503, 'Service unavailable'),
  drop: DROP,
  slow: (delayMs: number): Fault['failure'] => ({ kind: 'slow', delayMs }),
};
