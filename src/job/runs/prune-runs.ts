import * as fs from 'node:fs/promises';
import * as path from 'node:path';
import { errorCode } from '../../base/error-code.ts';
import { byCodeUnit } from '../../base/stable-json.ts';
import { BUNDLE_FILES, VIDEOS } from '../../bundle/layout.ts';
import { problemLine, RbError } from '../../errors/rb-error.ts';
import { BENCH_FOLDER } from '../../lane/host-folder.ts';
import { putFile } from '../../workspace/put-file.ts';
import type { VerbContext } from '../verb.ts';
import type { RunEntry } from './run-entry.ts';
import { RAW_REMOVED } from './run-entry.ts';
import { scanRuns } from './scan-runs.ts';

/**
 * Removes the raw evidence of the oldest sealed runs of this purpose beyond `keep-runs` and says so; their numbers and reports stay.
 * What cannot be removed is a warning: the run itself is done.
 * @param workspace absolute path.
 * @param purpose of the run that was just made.
 */
export async function pruneRuns(workspace: string, verb: VerbContext, purpose: string): Promise<void> {
  const { inputs, log, signal } = verb;
  if (signal.aborted) return;
  try {
    const { runs } = await scanRuns(workspace);
    const pruned = runsToPrune(runs, { keep: inputs.keepRuns, spare: baselineRun(workspace, verb), purpose });
    for (const run of pruned) await pruneRun(workspace, run, verb);
    if (pruned.length === 0) return;
    const names = pruned.map(({ runId }) => runId).join(', ');
    log.info(
      `keep-runs ${inputs.keepRuns} (purpose ${purpose}): raw evidence was removed of ${names}; numbers and reports stay.`,
    );
  } catch (error) {
    if (error instanceof RbError) for (const problem of error.problems) log.warning(problemLine(problem));
    else if (errorCode(error) === null) throw error;
    else log.warning(`Old runs could not be removed: the system says ${errorCode(error)}.`);
  }
}

interface PruneRules {
  /** Sealed runs that keep everything. */
  readonly keep: number;
  /** A run that keeps its evidence whatever its age, such as a baseline; null when there is none. */
  readonly spare: string | null;
  /** Only runs of this purpose count and go: pull requests must not cost the evidence of a release. */
  readonly purpose: string;
}

/**
 * Runs whose raw evidence goes, oldest first. A run with anything unsealed is never touched, nor is the newest planned
 * run of a suite: it is the one that was or will be accepted as baseline. Pure.
 */
export function runsToPrune(runs: readonly RunEntry[], { keep, spare, purpose }: PruneRules): RunEntry[] {
  const whole = runs.filter(
    ({ attempts }) => attempts.length > 0 && attempts.every(({ state }) => state === 'sealed'),
  );
  const sealed = whole
    .filter((run) => publicRun(run) === null)
    .toSorted(
      (left, right) => byCodeUnit(writtenAt(right), writtenAt(left)) || byCodeUnit(right.runId, left.runId),
    );
  const newest = new Map<string, string>();
  for (const { runId, attempts } of sealed) {
    const last = attempts.at(-1);
    if (last?.evidenceClass !== 'planned' || last.suite === null) continue;
    if (!newest.has(last.suite)) newest.set(last.suite, runId);
  }
  const spared = new Set([...newest.values(), spare]);
  const ofPurpose = sealed.filter(({ attempts }) => (attempts.at(-1)?.purpose ?? purpose) === purpose);
  const old = ofPurpose.slice(keep).filter(({ runId }) => !spared.has(runId));
  const oldIds = new Set(old.map(({ runId }) => runId));
  // Held-out cells go with the run that they belong to, and count as a part of it.
  const held = whole.filter((run) => oldIds.has(publicRun(run) ?? ''));
  return [...held, ...old]
    .filter(({ attempts }) => attempts.some(({ rawRemoved }) => !rawRemoved))
    .toReversed();
}

/** Id of the run whose held-out cells a run has; null for any other. */
function publicRun({ attempts }: RunEntry): string | null {
  return attempts.at(-1)?.heldOutOf ?? null;
}

function writtenAt({ attempts }: RunEntry): string {
  return (
    attempts
      .map(({ modifiedAt }) => modifiedAt ?? '')
      .toSorted(byCodeUnit)
      .at(-1) ?? ''
  );
}

/** The run that the input `baseline` names by a path below the folder of runs. */
function baselineRun(workspace: string, { inputs }: VerbContext): string | null {
  if (inputs.baseline.kind !== 'path') return null;
  const inside = path.relative(path.join(workspace, BENCH_FOLDER), path.resolve(inputs.baseline.path));
  const [first] = inside.split(path.sep);
  return first === undefined || first === '' || first === '..' ? null : first;
}

/** The scan has seen that run and attempts are plain folders; `rm` follows no link inside them. */
async function pruneRun(workspace: string, { runId, attempts }: RunEntry, verb: VerbContext): Promise<void> {
  for (const { attempt, rawRemoved } of attempts) {
    if (rawRemoved) continue;
    const folder = path.join(workspace, BENCH_FOLDER, runId, `attempt-${attempt}`);
    const note = { at: new Date(verb.clock.now()).toISOString(), keepRuns: verb.inputs.keepRuns };
    // Removed first and noted then: a crash in between leaves work for the next run, and no false note.
    await fs.rm(`${folder}${VIDEOS}`, { recursive: true, force: true });
    await fs.rm(path.join(folder, BUNDLE_FILES.raw), { recursive: true, force: true });
    await putFile(`${folder}${RAW_REMOVED}`, `${JSON.stringify(note)}\n`);
  }
}
