import type { Cell, Plan } from '../model/plan.ts';
import { type CellFinding, cellDifferences, compareWithCell, differenceOf } from './cell-evidence.ts';
import type { Facts } from './facts.ts';
import { readSimulator, type SimulatorAccount } from './simulator-account.ts';

/** What a session was to run, as its plan and its journal say. */
interface PlannedSession {
  readonly plan: Plan | null;
  readonly cell: Cell | null;
  /** Id of the cell target that was made for it: it ends in a hash of the config that names the cell. */
  readonly cellTarget?: string;
}

/** What is believed of the episode: the simulator's account, with `evidence: session` the session's word beside it. Pure. */
export function accountOf(plan: Plan | null, facts: Facts): SimulatorAccount {
  const account = readSimulator(facts);
  return plan?.evidence === 'session' ? withSessionsWord(facts, account) : account;
}

/** Which cell ran, by the evidence that the plan asks for. Pure. */
export function cellFinding(planned: PlannedSession, facts: Facts, account: SimulatorAccount): CellFinding {
  if (planned.plan?.evidence !== 'session') return compareWithCell(planned, facts, account);
  const finding = compareWithTarget(planned, facts, account);
  const contradiction = finding.kind === 'same' ? statusConflict(facts, account) : [];
  return contradiction.length === 0 ? finding : { kind: 'contradictory', notes: contradiction };
}

/**
 * `evidence: session`: which cell ran follows from the target that the session named. Every document that names one has to
 * name the cell's own, and what the simulator does say must not contradict the plan. That the simulator did what the config
 * asks is not shown. Pure.
 */
function compareWithTarget(
  { plan, cell, cellTarget }: PlannedSession,
  facts: Facts,
  account: SimulatorAccount,
): CellFinding {
  if (plan === null || cell === null) return { kind: 'same', notes: [] };
  const named = [facts.session?.target_ref, facts.log?.target_id, facts.episode?.target_id].flatMap(
    (target) => target?.replace(/^target:\/\//, '') ?? [],
  );
  if (named.length === 0 || cellTarget === undefined)
    return { kind: 'unknown', notes: ['the session does not say which target it used'] };
  const others = [...new Set(named)].map((target) => differenceOf('cell target', cellTarget, target));
  const differences = [
    ...others.filter((difference) => difference !== null),
    ...cellDifferences(plan, cell, facts, account.executed),
  ];
  return differences.length > 0 ? { kind: 'different', notes: differences } : { kind: 'same', notes: [] };
}

/**
 * The account with the session's own word where the simulator gave none: a session that failed without a fault says that
 * the episode did. Faults say false as well, and there it means nothing. Pure.
 */
function withSessionsWord(facts: Facts, account: SimulatorAccount): SimulatorAccount {
  const faulty = facts.errorCode !== null && facts.errorCode !== 'MAX_STEPS_EXCEEDED';
  const isOpen = account.success === null && !account.targetNative && facts.status === 'failed';
  if (!isOpen || faulty || facts.verified || facts.session?.result?.success !== false) return account;
  return { ...account, success: false, source: 'session.result' };
}

/** With nothing beside the session its own fields must agree. A verifier's status is an opinion of its own. Pure. */
function statusConflict({ status, verified }: Facts, { success }: SimulatorAccount): string[] {
  if (verified || success === null) return [];
  const expected = success ? 'succeeded' : 'failed';
  return status === expected ? [] : [`the session says ${status}, its result says success: ${success}`];
}
