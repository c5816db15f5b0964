import { EXIT, type ExitCode, type Problem, problemLine, RbError } from '../errors/rb-error.ts';
import { hostFailure } from '../files/problems.ts';
import { failureProblem, GitHubFailure } from '../github/failure.ts';
import type { Log } from '../platform/ports.ts';

interface GuardOptions {
  readonly log: Log;
  /** Exit code of the signal that stopped the work, null when none did. */
  readonly interrupted: () => ExitCode | null;
}

/**
 * Runs a use case and turns whatever it throws into messages and an exit code: problems of the user, the host or GitHub are
 * listed one by one, an interruption is named, a full disk or a refused permission is the host's, anything else is a
 * bug and prints its stack.
 */
export async function guarded(options: GuardOptions, work: () => Promise<ExitCode>): Promise<ExitCode> {
  try {
    const exitCode = await work();
    return options.interrupted() ?? exitCode;
  } catch (error) {
    return exitCodeOf(error, options);
  }
}

function exitCodeOf(error: unknown, { log, interrupted }: GuardOptions): ExitCode {
  if (error instanceof RbError) {
    reportProblems(error.problems, log);
    return interrupted() ?? error.exitCode;
  }
  if (error instanceof GitHubFailure) {
    reportProblems([{ ...failureProblem(error), severity: 'fatal' }], log);
    return interrupted() ?? EXIT.noVerdict;
  }
  const stopped = interrupted();
  if (stopped !== null) {
    log.warning(`Stopped by a signal: ${error instanceof Error ? error.message : String(error)}`);
    return stopped;
  }
  const failure = hostFailure(error);
  if (failure !== null) {
    reportProblems([failure], log);
    return EXIT.refused;
  }
  reportBug(error, log);
  return EXIT.bug;
}

/** Every problem as one message: fatal ones as errors, the others as warnings. */
export function reportProblems(problems: readonly Problem[], log: Log): void {
  for (const problem of problems) {
    if (problem.severity === 'fatal') log.error(problemLine(problem));
    else log.warning(problemLine(problem));
  }
}

/** An error nobody foresaw, with its stack and all its causes. */
export function reportBug(error: unknown, log: Log): void {
  log.error(
    `This is a bug in rollout-bench; please report it with the lines below and the command that led here.\n${stackOf(error)}`,
  );
}

function stackOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const own = error.stack ?? `${error.name}: ${error.message}`;
  return error.cause === undefined ? own : `${own}\nCaused by: ${stackOf(error.cause)}`;
}
