import type { Cell, Plan } from '../model/plan.ts';
import type { Facts } from './facts.ts';
import type { SimulatorAccount } from './simulator-account.ts';

export interface CellFinding {
  /** `unknown`: the evidence does not say which cell ran. `contradictory`: it says two things of the episode. */
  readonly kind: 'same' | 'different' | 'unknown' | 'contradictory';
  readonly notes: readonly string[];
}

/**
 * Compares what ran with what was planned. A session cannot choose its task, so this is the only proof that the
 * right task and initial state ran (two sessions on one target run the same task, and both succeed).
 */
export function compareWithCell(
  planned: { readonly plan: Plan | null; readonly cell: Cell | null },
  facts: Facts,
  account: SimulatorAccount,
): CellFinding {
  const { plan, cell } = planned;
  if (plan === null || cell === null) return { kind: 'same', notes: [] };
  const { executed } = account;
  if (
    executed === null ||
    executed.taskId === null ||
    executed.initStateId === null ||
    executed.benchmark === null
  ) {
    return { kind: 'unknown', notes: ['the evidence does not say which task and initial state ran'] };
  }
  const differences = cellDifferences(plan, cell, facts, executed);
  if (differences.length > 0) return { kind: 'different', notes: differences };
  const notes = executed.language === null ? ['the simulator did not record the task language'] : [];
  return { kind: 'same', notes };
}

/** In what the evidence contradicts the plan; what it does not say contradicts nothing. */
export function cellDifferences(
  plan: Plan,
  cell: Cell,
  facts: Facts,
  executed: SimulatorAccount['executed'],
): string[] {
  const language = plan.tasks.find((task) => task.taskId === cell.taskId)?.language ?? '';
  const ran = (what: string, planned: string | number, found: string | number | null | undefined) =>
    found == null ? null : differenceOf(what, planned, found);
  return [
    ran('suite', plan.suite, executed?.benchmark),
    ran('task', cell.taskId, executed?.taskId),
    ran('initial state', cell.initStateId, executed?.initStateId),
    ran('task language', language, executed?.language),
    promptDifference(language, facts),
    skillDifference(plan.skillruntime, facts),
  ].filter((difference) => difference !== null);
}

export function differenceOf(what: string, planned: string | number, ran: string | number): string | null {
  return planned === ran ? null : `${what}: planned ${quoted(planned)}, ran ${quoted(ran)}`;
}

/** The policy was prompted with the session's text; the simulator's language is another field. */
function promptDifference(language: string, facts: Facts): string | null {
  const prompt = facts.session?.task_description ?? null;
  return prompt === null ? null : differenceOf('prompt', language, prompt);
}

function skillDifference(planned: string, facts: Facts): string | null {
  const ran = facts.session?.skillruntime_ref ?? null;
  const bare = (ref: string) => ref.replace(/^skillruntime:\/\//, '');
  return ran === null ? null : differenceOf('skill runtime', bare(planned), bare(ran));
}

function quoted(value: string | number): string {
  return typeof value === 'number' ? String(value) : JSON.stringify(value);
}
