import { EXIT, type ExitCode, type Problem, RbError, refusal } from '../../errors/rb-error.ts';
import type { Repository } from '../../github/client.ts';
import { LATEST_PATH, parseLatest } from '../../history/latest.ts';
import {
  type Board,
  type BoardRun,
  LEADERBOARD_PAGE_PATH,
  LEADERBOARD_PATH,
  type Leaderboard,
  leaderboardText,
  MOST_BOARDS,
  parseLeaderboard,
  withRun,
} from '../../history/leaderboard.ts';
import type { FileChange, ReadFile } from '../../history/publication.ts';
import { siteFiles } from '../../job/publish/site.ts';
import { textOption, usageProblem } from '../../job/text-option.ts';
import type { VerbContext } from '../../job/verb.ts';
import { VERSION } from '../../platform/version.ts';
import { leaderboardPage, type ShownBoard } from '../../report/page/leaderboard-page.ts';
import { type Comparison, comparisonDocument } from '../../report/policies/document.ts';
import type { Measurement } from '../../results/measurement.ts';
import { candidateCells, knownOfBoth, outcomesOf, runDifference } from '../../verdict/comparable.ts';
import { comparePolicies, MOST_POLICIES, type SharedCell } from '../../verdict/many-policies.ts';
import { differenceProblems, publicFacts, sameCells } from '../compare/compare-measurements.ts';
import { writeToBranch } from './write-to-branch.ts';

/** What is accepted for a board. */
interface BoardRequest {
  readonly measurements: readonly Measurement[];
  /** Null: the board of the suite. */
  readonly board: string | null;
  readonly reason: string;
  readonly at: string;
  readonly repository: Repository;
}

/**
 * The files of the leaderboard with the runs in it, from the branch as it is now, and the history's page that links to it.
 * Baselines and history are not touched.
 * @throws RbError RB670 and RB671 for other cells or another protocol than the board's, RB674 without `policy-ref`, RB673
 * for a board or a branch that is full (exit 3); RB810 for a file that cannot be read (exit 4).
 */
async function leaderboardFiles(request: BoardRequest, read: ReadFile): Promise<FileChange[]> {
  const { measurements, repository } = request;
  const leaderboard = measurements.reduce(
    (known, measurement) => added(known, measurement, request),
    parseLeaderboard(await read(LEADERBOARD_PATH)),
  );
  const page = leaderboardPage(`${repository.owner}/${repository.repo}`, leaderboard.boards.map(shown));
  return [
    { path: LEADERBOARD_PATH, content: leaderboardText(leaderboard) },
    { path: LEADERBOARD_PAGE_PATH, content: page },
    ...siteFiles(repository, request.at)(parseLatest(await read(LATEST_PATH)), { hasLeaderboard: true }),
  ];
}

function added(known: Leaderboard, measurement: Measurement, request: BoardRequest): Leaderboard {
  const { plan } = measurement;
  const facts = publicFacts(measurement);
  const { policyRef } = facts.identity;
  const name = request.board ?? plan.suite;
  if (policyRef === null) {
    throw refused(
      'RB674',
      `${plan.suite} ${facts.identity.runId}`,
      'the run declares no policy-ref, and a board has one row for each.',
      'Measure with `policy-ref: <name of the policy>`.',
    );
  }
  const found = known.boards.find((board) => board.name === name);
  const board = found ?? emptyBoard(name, measurement, facts.fingerprint);
  const reference = { tasks: board.tasks, cells: cellsOf(board), fingerprint: board.fingerprint };
  const own = { tasks: plan.tasks, cells: candidateCells(plan), fingerprint: facts.fingerprint };
  const difference = { ...runDifference(reference, own), runId: facts.identity.runId };
  const problems = differenceProblems(difference, `the board ${name}`);
  if (problems.length > 0) throw new RbError(EXIT.refused, problems);
  const next = withRun(
    { ...board, fingerprint: knownOfBoth(board.fingerprint, facts.fingerprint) },
    policyRef,
    runOf(measurement, cellsOf(board), { ...request, unestablished: difference.unestablished }),
  );
  const boards = [...known.boards.filter((each) => each !== found), next];
  if (next.policies.length > MOST_POLICIES || boards.length > MOST_BOARDS) {
    throw refused(
      'RB673',
      LEADERBOARD_PATH,
      `a board holds ${MOST_POLICIES} policies, and a branch ${MOST_BOARDS} boards.`,
      'Name another board by --board, or take what is not needed out of the file.',
    );
  }
  return { ...known, boards: boards.sort((a, b) => (a.name < b.name ? -1 : 1)) };
}

function refused(code: Problem['code'], where: string, message: string, fix: string): RbError {
  return refusal({ code, where, message, fix });
}

function emptyBoard(name: string, { plan }: Measurement, fingerprint: Board['fingerprint']): Board {
  return {
    name,
    benchmark: plan.benchmark,
    suite: plan.suite,
    tasks: plan.tasks.map(({ taskId, language }) => ({ taskId, language })),
    cells: candidateCells(plan).map(({ taskId, initStateId, runIndex }) => [taskId, initStateId, runIndex]),
    fingerprint,
    policies: [],
  };
}

function cellsOf({ cells }: Board): SharedCell[] {
  return cells.map(([taskId, initStateId, runIndex]) => ({ taskId, initStateId, runIndex }));
}

function runOf(
  measurement: Measurement,
  cells: readonly SharedCell[],
  { reason, at, unestablished }: BoardRequest & { readonly unestablished: readonly string[] },
): BoardRun {
  const { runId, attempt, checkpointDigest, grade, bundles } = publicFacts(measurement).identity;
  const outcomes = outcomesOf(cells, measurement.records, measurement.plan.timeoutsAs);
  return {
    ...{ runId, attempt, checkpointDigest, grade, reason },
    bundles: [...bundles],
    acceptedAt: at,
    valid: outcomes.filter((outcome) => outcome !== null).length,
    successes: outcomes.filter((outcome) => outcome === true).length,
    outcomes: outcomes.map((outcome) => (outcome === null ? '-' : String(Number(outcome)))).join(''),
    unestablished: unestablished.slice(0, 300),
  };
}

function shown(board: Board): ShownBoard {
  const times = board.policies.map(({ newest }) => newest.acceptedAt).sort();
  return {
    name: board.name,
    comparison: boardComparison(board),
    changedAt: times.at(-1) ?? '',
    earlierRuns: board.policies.reduce((sum, { earlier }) => sum + earlier.length, 0),
  };
}

/** The comparison of the policies on a board. */
function boardComparison(board: Board): Comparison {
  const cells = cellsOf(board);
  const policies = board.policies.map(({ policyRef, newest }) => ({
    name: policyRef,
    outcomes: Array.from(newest.outcomes, (each) => (each === '-' ? null : each === '1')),
  }));
  const identities = board.policies.map(({ policyRef, newest }) => {
    const { runId, attempt, checkpointDigest, grade, bundles } = newest;
    return { name: policyRef, policyRef, checkpointDigest, runId, attempt, bundles, grade };
  });
  const unknown = [...new Set(board.policies.flatMap(({ newest }) => newest.unestablished))];
  const text = `Not established that all runs agree in: ${unknown.join(', ')} (not recorded in at least one of them).`;
  const frame = {
    tool: { version: VERSION },
    benchmark: board.benchmark,
    suite: board.suite,
    ...sameCells(cells),
    notes: unknown.length === 0 ? [] : [{ code: 'protocol_unestablished', text }],
  };
  return comparisonDocument(frame, identities, comparePolicies(cells, policies));
}

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
