import type { CatalogueEntry, ExitName } from './catalogue/entry.ts';
import { ERROR_CATALOGUE, type ErrorCode } from './catalogue/index.ts';

/** Exit codes of the command line (docs/errors.md). FAIL and verdict codes are decided by the verdict, not here. */
export const EXIT = {
  ok: 0,
  fail: 1,
  usage: 2,
  refused: 3,
  noVerdict: 4,
  verifyMismatch: 5,
  /** Something nobody foresaw (sysexits' EX_SOFTWARE); not 1, which would read as a FAIL verdict. */
  bug: 70,
  busy: 75,
  sigint: 130,
  sigterm: 143,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/**
 * One thing that is wrong, said so that a user can mend it.
 * Every check collects all of its problems before anything is thrown.
 */
export interface Problem {
  readonly code: ErrorCode;
  /** File, input or document entry, e.g. `TARGETS.md targets[2].runtime` or `input min-success-rate`. */
  readonly where: string;
  /** What is wrong, in one sentence. Contains no secrets. */
  readonly message: string;
  /** The offending value as text, already shortened. */
  readonly value?: string;
  /** What to do about it. */
  readonly fix: string;
  /** What happens if it is ignored (doctor shows it). */
  readonly consequence?: string;
  /** `fatal` stops the use case, `warning` is shown and recorded. */
  readonly severity: 'fatal' | 'warning';
}

/** A refusal or failure that is the user's or the host's to mend. Anything else thrown is a bug. */
export class RbError extends Error {
  readonly problems: readonly Problem[];
  readonly exitCode: ExitCode;

  constructor(exitCode: ExitCode, problems: readonly Problem[], options?: { cause?: unknown }) {
    super(problems.map(problemLine).join('\n'), options);
    this.name = 'RbError';
    this.problems = problems;
    this.exitCode = exitCode;
  }
}

/** `RB201 TARGETS.md targets[2].runtime: message (value). Fix.` on one line. */
export function problemLine(problem: Problem): string {
  const value = problem.value === undefined ? '' : ` (got ${problem.value})`;
  return `${problem.code} ${problem.where}: ${problem.message}${value} Fix: ${problem.fix}`;
}

/** What the place that finds a problem knows; how to mend it only where the catalogue has no words for all cases. */
type Facts<C extends ErrorCode> = Pick<Problem, 'where' | 'message' | 'value' | 'consequence'> &
  ('fix' extends keyof (typeof ERROR_CATALOGUE)[C] ? { readonly fix?: never } : Pick<Problem, 'fix'>);

/** Codes whose entry says how a job ends that has no other problem. */
type EndingCode = {
  [C in ErrorCode]: 'exit' extends keyof (typeof ERROR_CATALOGUE)[C] ? C : never;
}[ErrorCode];

/** A problem: the facts from where it is found, severity and cure from the catalogue. */
export function problemOf<C extends ErrorCode>(code: C, facts: Facts<C>): Problem {
  const entry: CatalogueEntry = ERROR_CATALOGUE[code];
  return { code, ...facts, fix: facts.fix ?? entry.fix ?? '', severity: entry.severity ?? 'fatal' };
}

/** The error of one problem that ends the use case, with the exit code of the catalogue. */
export function errorOf<C extends EndingCode>(
  code: C,
  facts: Facts<C>,
  options?: { cause?: unknown },
): RbError {
  const { exit }: { readonly exit: ExitName } = ERROR_CATALOGUE[code];
  return new RbError(EXIT[exit], [problemOf(code, facts)], options);
}

/** As `errorOf`, for a code that ends jobs in several ways. */
export function failure(
  exitCode: ExitCode,
  problem: Omit<Problem, 'severity'>,
  options?: { cause?: unknown },
): RbError {
  return new RbError(exitCode, [fatal(problem)], options);
}

/** The same where something may not begin or go on (exit 3). */
export function refusal(problem: Omit<Problem, 'severity'>, options?: { cause?: unknown }): RbError {
  return failure(EXIT.refused, problem, options);
}

/** A problem that stops the use case. */
export function fatal(problem: Omit<Problem, 'severity'>): Problem {
  return { ...problem, severity: 'fatal' };
}
