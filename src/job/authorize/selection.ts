import * as fs from 'node:fs/promises';
import * as path from 'node:path';
import { WhyNot } from '../../base/why-not.ts';
import { attemptFolder, BUNDLE_FILES } from '../../bundle/layout.ts';
import { EXIT, type Problem, problemOf, RbError } from '../../errors/rb-error.ts';
import { readTextCapped } from '../../files/atomic-file.ts';
import { cellKey, isHeldOutPlan, type Plan } from '../../model/plan.ts';
import type { RunFacts } from '../../model/run-facts.ts';
import { MAX_PLAN_FILE_BYTES, plansIn } from '../../plan/plan-file.ts';
import type { Log } from '../../platform/ports.ts';
import { attemptsOf } from '../runs/attempt-folders.ts';
import { readBaselineFile } from '../runs/read-baseline-file.ts';

const SHOWN_CELLS = 5;
const RUN_ID = /^[A-Za-z0-9_-]{1,130}$/;

/** A cell that a policy was chosen by. */
interface UsedCell {
  readonly suite: string;
  readonly taskId: number;
  readonly initStateId: number;
  readonly runIndex: number;
}

interface SelectionRequest {
  /** Input `selected-from`; null is not declared. */
  readonly selectedFrom: readonly string[] | null;
  readonly workspace: string;
  /** The public plan, and that of the held-out cells if there are any. */
  readonly plans: readonly Plan[];
  readonly log: Log;
}

interface Selection {
  /** For run.json; undefined when nothing was declared. */
  readonly fact: RunFacts['selection'];
  /**
   * How many cells met of which one side is held out. It may be written into the host's own record and nowhere else:
   * whoever saw it change with the cells they ask for could find the held-out ones.
   */
  readonly hidden: number;
}

/**
 * What of a plan was used to choose the policy that is measured. Cells that were asked for openly are compared one by one.
 * A held-out list counts as a whole, by its published commitment: a list that was measured for the selection is used up.
 * @throws RbError RB433 (exit 2) for what cannot be read, RB432 (exit 3) for a release on cells of the selection.
 */
export async function selectionOf(request: SelectionRequest): Promise<Selection> {
  const { selectedFrom, plans, log } = request;
  if (selectedFrom === null) return { fact: undefined, hidden: 0 };
  const suites = new Set(plans.map(({ suite }) => suite));
  const used = await usedCells(selectedFrom, request.workspace);
  const overlap = plans.flatMap((plan) =>
    isHeldOutPlan(plan) ? listUsed(plan, used) : cellsUsed(plan, used),
  );
  const from = used.map(({ name, cells }) => ({
    name,
    cells: new Set(cells.filter(({ suite }) => suites.has(suite)).map(keyOf)).size,
  }));
  if (overlap.length > 0) {
    const refused = overlapProblem(overlap, plans);
    if (plans.some(({ purpose }) => purpose === 'release')) throw new RbError(EXIT.refused, [refused]);
    log.warning(refused.message);
  }
  return { fact: { from, overlap: overlap.length }, hidden: hiddenOverlap(plans, used) };
}

/** Cells of an openly asked plan that a selection saw openly. Pure. */
function cellsUsed(plan: Plan, used: readonly Used[]): MetCell[] {
  const taken = new Set(used.flatMap(({ cells }) => cells.map(keyOf)));
  return plan.cells
    .filter((cell) => taken.has(keyOf({ ...cell, suite: plan.suite })))
    .map((cell) => ({ name: cellKey(cell) }));
}

/** All cells of a held-out plan when a selection measured the same list. Pure. */
function listUsed(plan: Plan, used: readonly Used[]): MetCell[] {
  const same = used.some(({ lists }) =>
    lists.some(({ commitment }) => commitment === plan.heldOut?.commitment),
  );
  return same ? plan.cells.map(() => ({ name: null })) : [];
}

/** Pure. */
function hiddenOverlap(plans: readonly Plan[], used: readonly Used[]): number {
  const open = new Set(used.flatMap(({ cells }) => cells.map(keyOf)));
  const held = new Set(used.flatMap(({ lists }) => lists.flatMap(({ cells }) => cells.map(keyOf))));
  return plans
    .flatMap((plan) => plan.cells.map((cell) => ({ key: keyOf({ ...cell, suite: plan.suite }), plan })))
    .filter(({ key, plan }) => held.has(key) || (isHeldOutPlan(plan) && open.has(key))).length;
}

function keyOf({ suite, taskId, initStateId, runIndex }: UsedCell): string {
  return `${suite} ${taskId} ${initStateId} ${runIndex}`;
}

/** A planned cell that a selection saw; without a name when it is held out. */
interface MetCell {
  readonly name: string | null;
}

function overlapProblem(overlap: readonly MetCell[], plans: readonly Plan[]): Problem {
  const all = plans.reduce((sum, { cells }) => sum + cells.length, 0);
  const names = overlap.flatMap(({ name }) => name ?? []);
  const shown = names.slice(0, SHOWN_CELLS).join(', ');
  const more = names.length > SHOWN_CELLS ? ` and ${names.length - SHOWN_CELLS} more` : '';
  const list = overlap.length > names.length ? 'the whole held-out list' : '';
  const which = [shown + more, list].filter((text) => text !== '').join(', and ');
  return problemOf('RB432', {
    where: 'input selected-from',
    message: `${overlap.length} of ${all} planned cells helped to select this policy: ${which}.`,
  });
}

interface Used {
  /** Run id or file name, never a path of the host. */
  readonly name: string;
  /** Asked for openly. */
  readonly cells: readonly UsedCell[];
  /** Held-out lists that were measured with them; their cells are known only to the host that measured them. */
  readonly lists: readonly UsedList[];
}

interface UsedList {
  readonly commitment: string;
  readonly cells: readonly UsedCell[];
}

type Seen = Pick<Used, 'cells' | 'lists'>;

async function usedCells(given: readonly string[], workspace: string): Promise<Used[]> {
  const problems: Problem[] = [];
  const used: Used[] = [];
  for (const place of given) {
    const seen = await seenIn(place, workspace);
    if (seen instanceof WhyNot) problems.push(unreadable(place, seen.why));
    else used.push({ name: path.basename(place), ...seen });
  }
  if (problems.length > 0) throw new RbError(EXIT.usage, problems);
  return used;
}

/** What a run id or a path stands for, or why there is nothing. */
async function seenIn(given: string, workspace: string): Promise<Seen | WhyNot> {
  const found = await fs.stat(given).catch(() => null);
  if (found === null && RUN_ID.test(given)) return seenByRun(given, workspace);
  if (found === null) return new WhyNot('nothing is there');
  if (found.isDirectory()) {
    const plans = await readPlans(path.join(given, BUNDLE_FILES.plan));
    return plans === null ? new WhyNot('the folder holds no plan.json that can be read') : seenInPlans(plans);
  }
  const plans = await readPlans(given);
  if (plans !== null) return seenInPlans(plans);
  const file = await readBaselineFile(given);
  if (file.kind === 'records') return { cells: file.recorded.records, lists: [] };
  return new WhyNot(file.kind === 'unreadable' ? file.why : 'it holds no cells');
}

async function seenByRun(runId: string, workspace: string): Promise<Seen | WhyNot> {
  const attempts = await attemptsOf(workspace, runId);
  if (attempts.length === 0)
    return new WhyNot(`neither a path nor a run of this host (${attemptFolder(runId, 1)} is not there)`);
  const open: Plan[] = [];
  for (const { bundleDir } of attempts) {
    const plans = await readPlans(path.join(bundleDir, BUNDLE_FILES.plan));
    if (plans === null) return new WhyNot(`plan.json of ${path.basename(bundleDir)} cannot be read`);
    open.push(...plans);
  }
  const seen = seenInPlans(open);
  if (seen instanceof WhyNot) return seen;
  const held: Plan[] = [];
  for (const { bundleDir } of await attemptsOf(workspace, `${runId}-heldout`))
    held.push(...((await readPlans(path.join(bundleDir, BUNDLE_FILES.plan))) ?? []));
  const cellsBy = (commitment: string): UsedCell[] =>
    held.filter(({ heldOut }) => heldOut?.commitment === commitment).flatMap(cellsOfPlan);
  return {
    ...seen,
    lists: seen.lists.map(({ commitment }) => ({ commitment, cells: cellsBy(commitment) })),
  };
}

/** Pure. A plan of held-out cells is not for naming: its cells would be compared one by one. */
function seenInPlans(plans: readonly Plan[]): Seen | WhyNot {
  if (plans.some(isHeldOutPlan))
    return new WhyNot('it is of held-out cells; name the run or the public bundle they belong to');
  return {
    cells: plans.flatMap(cellsOfPlan),
    lists: plans.flatMap(({ heldOut }) =>
      heldOut === undefined ? [] : [{ commitment: heldOut.commitment, cells: [] }],
    ),
  };
}

function cellsOfPlan({ suite, cells }: Plan): UsedCell[] {
  return cells.map(({ taskId, initStateId, runIndex }) => ({ suite, taskId, initStateId, runIndex }));
}

/** The plans of a plan.json, or of what `plan` wrote or printed; null for anything else. */
async function readPlans(file: string): Promise<readonly Plan[] | null> {
  try {
    const plans = plansIn(await readTextCapped(file, MAX_PLAN_FILE_BYTES));
    return plans instanceof WhyNot ? null : plans;
  } catch (error) {
    if (error instanceof RbError) return null;
    throw error;
  }
}

function unreadable(place: string, why: string): Problem {
  return problemOf('RB433', {
    where: 'input selected-from',
    message: `it tells no cells: ${why}.`,
    value: place,
  });
}
