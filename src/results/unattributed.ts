import type { ArmResult, ErrorCodeCount, Unattributed } from '../model/results.ts';
import { codeOf } from './error-codes.ts';
import { rateOf } from './measure.ts';

/** Sessions that a row of codes names as examples. */
const EXAMPLES = 3;

/**
 * Counts of an arm with the collected sessions whose episode nothing tells: recorded, without a valid outcome, each in
 * the place of a planned cell without a session as long as there is one. Tasks stay as they are. Pure.
 */
export function withUnattributed(arm: ArmResult, sessions: readonly Unattributed[]): ArmResult {
  if (sessions.length === 0) return arm;
  const outcomes = { ...arm.outcomes };
  const filled = Math.min(sessions.length, outcomes.not_run);
  outcomes.not_run -= filled;
  for (const { outcome } of sessions) outcomes[outcome] += 1;
  const planned = arm.planned + sessions.length - filled;
  return {
    ...arm,
    planned,
    recorded: arm.recorded + sessions.length,
    outcomes,
    rateOverPlanned: rateOf(arm.successRate.k, planned - arm.unneeded),
    errorCodes: withCodes(arm.errorCodes, sessions),
  };
}

function withCodes(known: readonly ErrorCodeCount[], sessions: readonly Unattributed[]): ErrorCodeCount[] {
  const rows = new Map(known.map((row) => [row.code, { ...row, examples: [...row.examples] }]));
  for (const session of sessions) {
    const code = codeOf(session);
    if (code === null) continue;
    const none = { code, episodes: 0, sessions: 0, message: session.errorMessage, examples: [] };
    const row = rows.get(code) ?? none;
    row.episodes += 1;
    row.sessions += 1;
    if (row.examples.length < EXAMPLES) row.examples.push(session.sessionId);
    rows.set(code, row);
  }
  return [...rows.values()].sort(
    (left, right) => right.sessions - left.sessions || (left.code < right.code ? -1 : 1),
  );
}
