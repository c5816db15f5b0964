import * as fs from 'node:fs/promises';
import * as path from 'node:path';
import { attemptFolder, BUNDLE_FILES } from '../../bundle/layout.ts';
import { EXIT, type Problem, RbError } from '../../errors/rb-error.ts';
import { cellKey, type Plan } from '../../plan/plan.ts';
import { MAX_PLAN_FILE_BYTES, plansIn } from '../../plan/plan-file.ts';
import type { Log } from '../../platform/ports.ts';
import type { RunFacts } from '../../results/run-facts.ts';
import { readTextCapped } from '../../workspace/atomic-file.ts';
import { readBaselineFile } from '../read-baseline-file.ts';
import { attemptsOf } from './attempts.ts';

const SHOWN_CELLS = 5;
const RUN_ID = /^[A-Za-z0-9_-]{1,130}$/;

/** A cell that a policy was chosen by. */
interface UsedCell {
  readonly suite: string;
  readonly taskId: number;
  readonly initStateId: number;
  readonly runIndex: number;
}

export interface SelectionRequest {
  /** Input `selected-from`; null is not declared. */
  readonly selectedFrom: readonly string[] | null;
  readonly workspace: string;
  /** The public plan, and that of the held-out cells if there are any. */
  readonly plans: readonly Plan[];
  readonly log: Log;
}

/**
 * What of a plan was used to choose the policy that is measured. A run counts with its held-out cells: their rate was seen,
 * too.
 * @throws RbError RB433 (exit 2) for what cannot be read, RB432 (exit 3) for a release on cells of the selection.
 */
export async function selectionOf(request: SelectionRequest): Promise<RunFacts['selection']> {
  const { selectedFrom, plans, log } = request;
  if (selectedFrom === null) return undefined;
  const used = await usedCells(selectedFrom, request.workspace);
  const taken = new Set(used.flatMap(({ cells }) => cells.map(keyOf)));
  const overlap = plans.flatMap((plan) =>
    plan.cells.filter((cell) => taken.has(keyOf({ ...cell, suite: plan.suite }))),
  );
  const suites = new Set(plans.map(({ suite }) => suite));
  const from = used.map(({ name, cells }) => ({
    name,
    cells: new Set(cells.filter(({ suite }) => suites.has(suite)).map(keyOf)).size,
  }));
  if (overlap.length > 0) {
    const refused = overlapProblem(overlap, plans);
    if (plans.some(({ purpose }) => purpose === 'release')) throw new RbError(EXIT.refused, [refused]);
    log.warning(refused.message);
  }
  return { from, overlap: overlap.length };
}

function keyOf({ suite, taskId, initStateId, runIndex }: UsedCell): string {
  return `${suite} ${taskId} ${initStateId} ${runIndex}`;
}

function overlapProblem(overlap: Plan['cells'], plans: readonly Plan[]): Problem {
  const all = plans.reduce((sum, { cells }) => sum + cells.length, 0);
  const shown = overlap.slice(0, SHOWN_CELLS).map(cellKey).join(', ');
  const more = overlap.length > SHOWN_CELLS ? ` and ${overlap.length - SHOWN_CELLS} more` : '';
  return {
    code: 'RB432',
    where: 'input selected-from',
    message: `${overlap.length} of ${all} planned cells helped to select this policy: ${shown}${more}.`,
    fix: 'Measure the release on other tasks or init-states, or on held-out cells that no selection has seen.',
    severity: 'fatal',
  };
}

interface Used {
  /** Run id or file name, never a path of the host. */
  readonly name: string;
  readonly cells: readonly UsedCell[];
}

async function usedCells(given: readonly string[], workspace: string): Promise<Used[]> {
  const problems: Problem[] = [];
  const used: Used[] = [];
  for (const place of given) {
    const cells = await cellsOf(place, workspace);
    if (typeof cells === 'string') problems.push(unreadable(place, cells));
    else used.push({ name: path.basename(place), cells });
  }
  if (problems.length > 0) throw new RbError(EXIT.usage, problems);
  return used;
}

/** Cells that a run id or a path stands for; a text says why there are none. */
async function cellsOf(given: string, workspace: string): Promise<readonly UsedCell[] | string> {
  const found = await fs.stat(given).catch(() => null);
  if (found === null && RUN_ID.test(given)) return cellsOfRun(given, workspace);
  if (found === null) return 'nothing is there';
  if (found.isDirectory()) {
    const plans = await readPlans(path.join(given, BUNDLE_FILES.plan));
    return plans === null ? 'the folder holds no plan.json that can be read' : plans.flatMap(cellsOfPlan);
  }
  const plans = await readPlans(given);
  if (plans !== null) return plans.flatMap(cellsOfPlan);
  const file = await readBaselineFile(given);
  if (file.kind === 'records') return file.recorded.records;
  return file.kind === 'unreadable' ? file.why : 'it holds no cells';
}

async function cellsOfRun(runId: string, workspace: string): Promise<readonly UsedCell[] | string> {
  const attempts = await attemptsOf(workspace, runId);
  if (attempts.length === 0)
    return `neither a path nor a run of this host (${attemptFolder(runId, 1)} is not there)`;
  const held = await attemptsOf(workspace, `${runId}-heldout`);
  const cells: UsedCell[] = [];
  for (const { bundleDir } of [...attempts, ...held]) {
    const plans = await readPlans(path.join(bundleDir, BUNDLE_FILES.plan));
    if (plans === null) return `plan.json of ${path.basename(bundleDir)} cannot be read`;
    cells.push(...plans.flatMap(cellsOfPlan));
  }
  return cells;
}

function cellsOfPlan({ suite, cells }: Plan): UsedCell[] {
  return cells.map(({ taskId, initStateId, runIndex }) => ({ suite, taskId, initStateId, runIndex }));
}

/** The plans of a plan.json, or of what `plan` wrote or printed; null for anything else. */
async function readPlans(file: string): Promise<readonly Plan[] | null> {
  try {
    const plans = plansIn(await readTextCapped(file, MAX_PLAN_FILE_BYTES));
    return typeof plans === 'string' ? null : plans;
  } catch (error) {
    if (error instanceof RbError) return null;
    throw error;
  }
}

function unreadable(place: string, why: string): Problem {
  return {
    code: 'RB433',
    where: 'input selected-from',
    message: `it tells no cells: ${why}.`,
    value: place,
    fix: 'Name a bundle folder, plan.json, a baseline or episodes file, or a run id of this host.',
    severity: 'fatal',
  };
}
