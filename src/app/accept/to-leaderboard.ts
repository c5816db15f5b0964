import { EXIT, type ExitCode } from '../../errors/rb-error.ts';
import { LEADERBOARD_PAGE_PATH } from '../../history/leaderboard.ts';
import { textOption, usageProblem } from '../../job/text-option.ts';
import type { VerbContext } from '../../job/verb.ts';
import type { Measurement } from '../../results/measurement.ts';
import { leaderboardFiles } from './leaderboard.ts';
import { writeToBranch } from './write-to-branch.ts';

/** @throws RbError RB112 for options that say two things at once (exit 2). */
export function checkBoardOptions({ options }: VerbContext): void {
  const others = ['out', 'branch', 'anchor'].filter((name) => options.has(name));
  if (options.has('leaderboard') && others.length > 0) {
    throw usageProblem(
      'option --leaderboard',
      `a board is no baseline, so it cannot be given with --${others.join(' and --')}.`,
      'Accept the bundle twice when it is to be both.',
    );
  }
  if (options.has('board') && !options.has('leaderboard'))
    throw usageProblem('option --board', 'names a board of --leaderboard.', 'Add --leaderboard.');
}

/** Puts accepted runs on a board of the report branch; no baseline changes. */
export async function toLeaderboard(
  verb: VerbContext,
  measurements: readonly Measurement[],
  { reason, at }: { readonly reason: string; readonly at: string },
): Promise<ExitCode> {
  const board = verb.options.has('board')
    ? textOption(verb, 'board', { max: 200, example: 'release' })
    : null;
  const { reportBranch } = verb.inputs;
  const runs = measurements.map(({ run }) => run.runId);
  const boards = measurements.map(({ plan }) => board ?? plan.suite);
  const { commit } = await writeToBranch(verb, (branch, repository) =>
    branch.publish({
      branch: reportBranch,
      build: (read) => leaderboardFiles({ measurements, board, reason, at, repository }, read),
      message: {
        subject: `Put ${runs.join(', ')} on the board ${[...new Set(boards)].join(', ')}`,
        runUrl: null,
        planDigests: measurements.map(({ planDigest }) => planDigest),
        bundleSha256s: measurements.flatMap(({ parts }) => parts.map(({ manifestSha256 }) => manifestSha256)),
      },
    }),
  );
  const written = { reportBranch, commit, page: LEADERBOARD_PAGE_PATH };
  const text = runs.map(
    (run, at_) =>
      `${run} is on the board ${boards[at_]}: ${reportBranch} ${LEADERBOARD_PAGE_PATH} (${commit})\n`,
  );
  verb.stdout(verb.json ? `${JSON.stringify({ ...written, runs, boards }, null, 2)}\n` : text.join(''));
  return EXIT.ok;
}
