import * as z from 'zod';
import { canonicalJson } from '../base/canonical-json.ts';
import { parseLine, unreadable } from './json-lines.ts';

const LEADERBOARD_SCHEMA_ID = 'rollout-bench/leaderboard/1';
export const LEADERBOARD_PATH = 'leaderboard.json';
export const LEADERBOARD_PAGE_PATH = 'leaderboard.html';

/** Boards of a branch, and earlier runs of a policy that one board keeps. */
export const MOST_BOARDS = 20;
const EARLIER_RUNS = 20;

const id = z.int().min(0);
const count = z.int().min(0);
const name = z.string().min(1).max(1_000);

/** A run in numbers; what became of its cells is kept for the newest run of a policy only. */
const runShape = {
  runId: z.string().min(1).max(200),
  attempt: z.int().positive(),
  acceptedAt: z.iso.datetime(),
  reason: z.string().max(1_000),
  valid: count,
  successes: count,
};
const earlierRunSchema = z.strictObject(runShape);

const boardRunSchema = z.strictObject({
  ...runShape,
  checkpointDigest: z.string().max(1_000).nullable(),
  grade: z.enum(['qualified', 'exploratory']),
  /** sha256 of each bundle's manifest. */
  bundles: z.array(z.string().regex(/^[0-9a-f]{64}$/)).max(300),
  /** One character a cell, in the order of the board's cells: 1 success, 0 failure, - no valid outcome. */
  outcomes: z
    .string()
    .regex(/^[01-]*$/)
    .max(10_000),
  /** Fields of the protocol in which nobody can tell whether it agrees with the board. */
  unestablished: z.array(z.string().max(300)).max(300),
});
export type BoardRun = z.infer<typeof boardRunSchema>;

const boardSchema = z.strictObject({
  name: z.string().min(1).max(300),
  benchmark: z.string().max(1_000),
  suite: z.string().min(1).max(300),
  tasks: z.array(z.strictObject({ taskId: id, language: z.string().max(4_000) })).max(10_000),
  /** Task, initial state and run index of each cell. */
  cells: z
    .array(z.tuple([id, id, id]))
    .min(1)
    .max(10_000),
  /** All that is known of the one protocol of the board. */
  fingerprint: z.record(z.string(), z.unknown()),
  policies: z
    .array(
      z.strictObject({
        policyRef: name,
        newest: boardRunSchema,
        earlier: z.array(earlierRunSchema).max(EARLIER_RUNS),
      }),
    )
    .max(50),
});
export type Board = z.infer<typeof boardSchema>;

/** leaderboard.json of the report branch: one protocol a board, one row a policy reference. */
export const leaderboardSchema = z.strictObject({
  schema: z.literal(LEADERBOARD_SCHEMA_ID),
  boards: z.array(boardSchema).max(MOST_BOARDS),
});
export type Leaderboard = z.infer<typeof leaderboardSchema>;

/**
 * @param text null: there is none yet
 * @throws RbError RB810 for what it cannot read.
 */
export function parseLeaderboard(text: string | null): Leaderboard {
  if (text === null) return { schema: LEADERBOARD_SCHEMA_ID, boards: [] };
  const parsed = parseLine(LEADERBOARD_PATH, text.trimEnd(), leaderboardSchema);
  const torn = parsed.boards.find(({ cells, policies }) =>
    policies.some(({ newest }) => newest.outcomes.length !== cells.length),
  );
  if (torn !== undefined)
    throw unreadable(LEADERBOARD_PATH, `has a policy on board ${torn.name} with other cells than the board.`);
  return parsed;
}

export function leaderboardText(leaderboard: Leaderboard): string {
  return `${canonicalJson(leaderboard)}\n`;
}

/**
 * The board with a run of a policy in it: the run that was accepted last stands for its policy, whatever it says, and
 * those before are kept in numbers. The same run again replaces itself. Pure.
 */
export function withRun(board: Board, policyRef: string, run: BoardRun): Board {
  const known = board.policies.find((policy) => policy.policyRef === policyRef);
  const runs = [run, ...(known === undefined ? [] : [known.newest, ...known.earlier])].filter(
    (each, at) => at === 0 || each.runId !== run.runId || each.attempt !== run.attempt,
  );
  const earlier = runs.slice(1, EARLIER_RUNS + 1).map((each) => ({
    runId: each.runId,
    attempt: each.attempt,
    acceptedAt: each.acceptedAt,
    reason: each.reason,
    valid: each.valid,
    successes: each.successes,
  }));
  const others = board.policies.filter((policy) => policy !== known);
  return {
    ...board,
    policies: [...others, { policyRef, newest: run, earlier }].sort((a, b) =>
      a.policyRef < b.policyRef ? -1 : 1,
    ),
  };
}
