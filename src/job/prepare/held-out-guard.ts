import * as path from 'node:path';
import { EXIT, type ExitCode, type Problem, RbError } from '../../errors/rb-error.ts';
import type { Inputs } from '../../inputs/read-inputs.ts';
import type { HeldOutCell, HeldOutList } from '../../plan/held-out-list.ts';
import { type HeldOutMask, heldOutMask } from '../../plan/held-out-mask.ts';
import type { Log } from '../../platform/ports.ts';
import type { TextScreen } from '../../screen/text-screen.ts';
import type { Environment, VerbContext } from '../verb.ts';
import { readHeldOutFile } from './held-out-file.ts';

/** The held-out lists of a job, and what keeps them on the host. */
export interface HeldOutGuard extends HeldOutMask, TextScreen {
  listOf(suite: string): HeldOutList | null;
  readonly suites: readonly string[];
  /**
   * Told once for each suite, as soon as its tasks are known: these cells are asked for openly, so they are shown from now
   * on, and these languages belong to tasks that are not.
   */
  learn(suite: OpenCells): void;
}

/** What of a suite is known to everybody. */
export interface OpenCells {
  readonly cells: readonly HeldOutCell[];
  /** Of the suite's other tasks. */
  readonly languages: readonly string[];
}

/**
 * Reads the held-out files that the inputs name; null without any.
 * @throws RbError RB426, RB427, RB430, RB448 or RB2xx, all files at once; no message repeats what a file holds.
 */
export async function openHeldOut(
  inputs: Pick<Inputs, 'heldoutFiles' | 'shard' | 'tasksFile'>,
  env: Environment,
  log: Log,
): Promise<HeldOutGuard | null> {
  if (inputs.heldoutFiles === null) return null;
  const problems: Problem[] = inputs.shard === null ? [] : [shardProblem(inputs.shard)];
  if (inputs.tasksFile !== null) problems.push(tasksFileProblem(inputs.tasksFile));
  const lists: HeldOutList[] = [];
  for (const file of inputs.heldoutFiles) {
    try {
      lists.push(await readHeldOutFile(file, env, log));
    } catch (error) {
      if (!(error instanceof RbError)) throw error;
      problems.push(...error.problems);
    }
  }
  const twice = lists.find(({ suite }, index) => lists.findIndex((each) => each.suite === suite) < index);
  if (twice !== undefined) problems.push(twiceProblem(twice.suite));
  if (problems.length > 0) {
    const ofHost = problems.every(({ code }) => code === 'RB448');
    throw new RbError(ofHost ? EXIT.refused : EXIT.usage, problems);
  }
  return guardOf(lists);
}

/** Pure but for what it learns. */
export function guardOf(lists: readonly HeldOutList[]): HeldOutGuard {
  const bySuite = new Map(lists.map((list) => [list.suite, list]));
  const salts = lists.map(({ salt }) => salt);
  const known: OpenCells[] = [];
  let masking = heldOutMask({ salts, open: [], languages: [] });
  return {
    suites: lists.map(({ suite }) => suite),
    listOf: (suite) => bySuite.get(suite) ?? null,
    learn(suite) {
      known.push(suite);
      masking = heldOutMask({
        salts,
        open: known.flatMap(({ cells }) => cells),
        languages: known.flatMap(({ languages }) => languages),
      });
    },
    mask: (text) => masking.mask(text),
    finds: (text) => masking.finds(text),
  };
}

/** The same context, with every word that leaves it masked. */
export function maskedVerb(verb: VerbContext, guard: HeldOutGuard): VerbContext {
  const { action } = verb;
  return {
    ...verb,
    screen: guard,
    log: maskedLog(verb.log, guard.mask),
    stdout: (text) => verb.stdout(guard.mask(text)),
    action: action && {
      saveState: (name, value) => action.saveState(name, value),
      setOutput: (name, value) => action.setOutput(name, guard.mask(value)),
    },
  };
}

/** A log whose lines go through `mask` first. */
export function maskedLog(log: Log, mask: (text: string) => string): Log {
  return {
    info: (message) => log.info(mask(message)),
    warning: (message) => log.warning(mask(message)),
    error: (message) => log.error(mask(message)),
    group: (title) => log.group(mask(title)),
    endGroup: () => log.endGroup(),
    progress: (message) => log.progress(mask(message)),
  };
}

/** Runs the work of a job; an exception of it tells nothing of held-out cells either, its stack and causes included. */
export async function withMaskedErrors(
  guard: HeldOutGuard | null,
  work: () => Promise<ExitCode>,
): Promise<ExitCode> {
  if (guard === null) return work();
  try {
    return await work();
  } catch (error) {
    throw maskedError(error, guard.mask);
  }
}

/** The same error, told through `mask`. */
export function maskedError(error: unknown, mask: (text: string) => string): unknown {
  if (error instanceof RbError) {
    const problems = error.problems.map(
      (problem): Problem => ({
        ...problem,
        where: mask(problem.where),
        message: mask(problem.message),
        fix: mask(problem.fix),
        ...(problem.value === undefined ? {} : { value: mask(problem.value) }),
      }),
    );
    return new RbError(error.exitCode, problems);
  }
  if (!(error instanceof Error)) return mask(String(error));
  // Changed in place, so that its class and code still tell who can mend it.
  error.message = mask(error.message);
  if (error.stack !== undefined) error.stack = mask(error.stack);
  if (error.cause !== undefined) error.cause = maskedError(error.cause, mask);
  return error;
}

function problem(code: Problem['code'], where: string, said: { message: string; fix: string }): Problem {
  return { code, where, ...said, severity: 'fatal' };
}

function shardProblem({ index, count }: NonNullable<Inputs['shard']>): Problem {
  return {
    ...problem('RB430', 'input heldout-file', {
      message: 'a held-out set cannot be split over hosts.',
      fix: 'Leave shard out, or the held-out file.',
    }),
    value: `shard ${index}/${count}`,
  };
}

/** Whoever writes the tasks could try which of them are held out. */
function tasksFileProblem(file: string): Problem {
  return {
    ...problem('RB430', 'input heldout-file', {
      message: 'the tasks of held-out cells must be listed by the target, never by a file of the job.',
      fix: 'Leave tasks-file out, or the held-out file.',
    }),
    value: `tasks-file ${path.basename(file)}`,
  };
}

function twiceProblem(suite: string): Problem {
  return problem('RB426', 'input heldout-file', {
    message: `two files hold out cells of ${suite}.`,
    fix: 'Give one file for each suite.',
  });
}
