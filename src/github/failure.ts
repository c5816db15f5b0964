import type { Problem } from '../errors/rb-error.ts';
import { RbError } from '../errors/rb-error.ts';

/** What a call to GitHub is for, and what the token needs for it. */
export interface Purpose {
  /** Words for messages: `comment on the pull request`. */
  readonly what: string;
  /** Permissions of a job, any one of which is enough; the first is the one to recommend. */
  readonly permissions: readonly [Permission, ...Permission[]];
}
export type Permission =
  | 'actions: read'
  | 'checks: write'
  | 'contents: read'
  | 'contents: write'
  | 'issues: read'
  | 'issues: write'
  | 'pull-requests: read'
  | 'pull-requests: write';

export type FailureKind =
  | 'credentials'
  | 'permission'
  | 'not-found'
  | 'rate-limit'
  | 'unreachable'
  | 'conflict'
  | 'invalid'
  | 'protected'
  | 'refused'
  | 'strange';

/** A request that stayed without success after all retries. */
export class GitHubFailure extends Error {
  readonly kind: FailureKind;
  /** HTTP status, null when no answer came. */
  readonly status: number | null;
  readonly purpose: Purpose;
  /** What GitHub wrote, one line. */
  readonly reason: string;

  constructor(facts: {
    kind: FailureKind;
    status: number | null;
    purpose: Purpose;
    reason: string;
    cause?: unknown;
  }) {
    super(`cannot ${facts.purpose.what}: ${facts.reason}`, { cause: facts.cause });
    this.name = 'GitHubFailure';
    this.kind = facts.kind;
    this.status = facts.status;
    this.purpose = facts.purpose;
    this.reason = facts.reason;
  }
}

/** The lines to paste into the job, e.g. `permissions:\n  contents: write`. */
export function permissionYaml(permission: Permission): string {
  return `permissions:\n  ${permission}`;
}

const CODES = {
  credentials: 'RB801',
  permission: 'RB802',
  'not-found': 'RB803',
  'rate-limit': 'RB804',
  unreachable: 'RB805',
  protected: 'RB806',
  conflict: 'RB807',
  invalid: 'RB807',
  refused: 'RB807',
  strange: 'RB808',
} as const satisfies Record<FailureKind, Problem['code']>;

/** A failed publisher as a warning: what, why, and the permission to add where that is the reason. */
export function failureProblem(failure: GitHubFailure): Problem {
  return {
    code: CODES[failure.kind],
    where: 'GitHub',
    message: `Could not ${failure.purpose.what}: ${failure.reason}`,
    fix: fixOf(failure),
    severity: 'warning',
  };
}

function fixOf({ kind, purpose }: GitHubFailure): string {
  const [permission] = purpose.permissions;
  const add = `Add to the job:\n${permissionYaml(permission)}`;
  switch (kind) {
    case 'credentials':
      return 'Pass a valid `github-token`; the token of a job dies after 24 hours, so publish from a short second job.';
    case 'permission':
      return `The token needs \`${purpose.permissions.join('` or `')}\`. ${add}\nOn a fork's pull request write access is never given: publish from a workflow_run job.`;
    case 'not-found':
      return `Check that it exists. In a private repository this is also GitHub's answer when the token lacks \`${permission}\`. ${add}`;
    case 'rate-limit':
    case 'unreachable':
      return 'Publish again later with `mode: report`; the bundle holds everything.';
    case 'protected':
      return 'Exclude the report branch from the ruleset or branch protection, or give `github-token` a token that may bypass it.';
    case 'strange':
      return 'Check GITHUB_API_URL and proxies between the runner and GitHub.';
    default:
      return "GitHub's reason above tells what to change.";
  }
}

/** Any failure of a publisher as problems; null for a bug, which must not be hidden. */
export function problemsOf(error: unknown): readonly Problem[] | null {
  if (error instanceof GitHubFailure) return [failureProblem(error)];
  if (error instanceof RbError) return error.problems.map((problem) => ({ ...problem, severity: 'warning' }));
  return null;
}
