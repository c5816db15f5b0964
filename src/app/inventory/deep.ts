import * as path from 'node:path';
import { BUNDLE_FILES } from '../../bundle/layout.ts';
import { verifyBundle } from '../../bundle/verify.ts';
import { RbError } from '../../errors/rb-error.ts';
import { qualificationFaults } from '../../job/authorize/recheck-qualification.ts';
import { readQualification } from '../../job/runs/keep-qualification.ts';
import type { AttemptEntry, ControlEntry, RunEntry } from '../../job/runs/run-entry.ts';
import type { VerbContext } from '../../job/verb.ts';
import { BENCH_FOLDER } from '../../lane/host-folder.ts';
import type { InventoryPage } from './page.ts';

/**
 * Every file of the page's sealed bundles hashed and their results computed again; of a qualification that passed also
 * what a run would ask before it relied on it.
 */
export async function lookDeeply(
  page: InventoryPage,
  workspace: string,
  verb: Pick<VerbContext, 'env' | 'signal'>,
): Promise<InventoryPage> {
  const runs: RunEntry[] = [];
  for (const run of page.runs) runs.push(await deepRun(run, path.join(workspace, BENCH_FOLDER), verb));
  return { ...page, runs };
}

async function deepRun(
  run: RunEntry,
  root: string,
  verb: Pick<VerbContext, 'env' | 'signal'>,
): Promise<RunEntry> {
  const { runId } = run;
  const attempts: AttemptEntry[] = [];
  for (const entry of run.attempts) {
    const folder = path.join(root, runId, `attempt-${entry.attempt}`);
    const sealValid = entry.state === 'sealed' ? await isSound(folder, verb.signal) : null;
    attempts.push({ ...entry, sealValid });
  }
  if (run.controls === undefined) return { ...run, attempts };
  const controls: ControlEntry[] = [];
  for (const entry of run.controls) {
    const folder = path.join(root, runId, entry.name);
    const sealValid = entry.manifestSha256 === null ? null : await isSound(folder, verb.signal);
    controls.push({ ...entry, sealValid });
  }
  const faults = run.qualification === 'passed' ? await faultsOf(runId, root, verb) : null;
  return { ...run, attempts, controls, qualificationFaults: faults };
}

async function faultsOf(
  runId: string,
  root: string,
  { env }: Pick<VerbContext, 'env'>,
): Promise<readonly string[]> {
  const made = await readQualification(path.join(root, runId, BUNDLE_FILES.qualification));
  if (made === null) return ['it changed while it was looked at'];
  return qualificationFaults(path.resolve(root, '../..'), made, env);
}

async function isSound(bundleDir: string, signal: AbortSignal): Promise<boolean> {
  try {
    return (await verifyBundle(bundleDir, { signal })).every(({ kind }) => kind === 'held back');
  } catch (error) {
    if (error instanceof RbError) return false;
    throw error;
  }
}
