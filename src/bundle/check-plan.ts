import { canonicalDigest } from '../base/canonical-json.ts';
import { stableJson } from '../base/stable-json.ts';
import type { Manifest } from '../model/manifest.ts';
import { cellKey, isHeldOutPlan } from '../model/plan.ts';
import { placeOf } from '../plan/held-out-list.ts';
import type { Difference } from './difference.ts';
import type { BundleDocuments } from './documents.ts';
import { BUNDLE_FILES } from './layout.ts';

/** What the manifest says about its bundle, which no hash of it covers. Pure. */
export function nameFaults({ run }: BundleDocuments, manifest: Manifest): Difference[] {
  const told: readonly (readonly [string, string, string])[] = [
    ['run', manifest.runId, run.runId],
    ['attempt', String(manifest.attempt), String(run.attempt)],
    ['program', stableJson(manifest.tool), stableJson(run.tool)],
  ];
  return told
    .filter(([, claimed, found]) => claimed !== found)
    .map(([what, claimed, found]) => ({
      kind: 'changed',
      path: BUNDLE_FILES.manifest,
      message: `it names the ${what} ${claimed.trim()}, but run.json says ${found.trim()}`,
    }));
}

/** The plan's digest as everything names it, and each of its tasks and cells once. Pure. */
export function planFaults({ plan, run, journal }: BundleDocuments, manifest: Manifest): Difference[] {
  const digest = canonicalDigest(plan);
  const started = journal.records.find((record) => record.event.type === 'started')?.event;
  const claims: readonly (readonly [string, string])[] = [
    [BUNDLE_FILES.run, run.planDigest],
    [BUNDLE_FILES.manifest, manifest.planDigest],
    ...(started?.type === 'started' ? [[BUNDLE_FILES.journal, started.planDigest] as const] : []),
  ];
  const tasks = plan.tasks.map(({ taskId }) => `task ${taskId}`);
  const known = new Set(plan.tasks.map(({ taskId }) => taskId));
  const inPlan = (message: string): Difference => ({ kind: 'plan', path: BUNDLE_FILES.plan, message });
  return [
    ...claims
      .filter(([, claimed]) => claimed !== digest)
      .map(
        ([name, claimed]): Difference => ({
          kind: 'plan',
          path: name,
          message: `it names plan ${claimed}, but plan.json has the digest ${digest}`,
        }),
      ),
    ...[...twice(tasks), ...twice(plan.cells.map(cellKey))].map((name) => inPlan(`it has ${name} twice`)),
    ...plan.cells
      .filter(({ taskId }) => !known.has(taskId))
      .slice(0, 1)
      .map((cell) => inPlan(`cell ${cellKey(cell)} is of a task that it does not have`)),
  ];
}

/**
 * With `evidence: session` the target that a session named is all that tells its cell, so no two cells may share one, and
 * the protocol has to say what the evidence is. Pure.
 */
export function evidenceFaults({ plan, run, journal }: BundleDocuments): Difference[] {
  const faults: Difference[] = [];
  if ((run.fingerprint.evidence ?? undefined) !== plan.evidence) {
    const message = `its fingerprint names the evidence ${stableJson(run.fingerprint.evidence ?? null).trim()}, but the plan says ${plan.evidence ?? 'nothing of it'}`;
    faults.push({ kind: 'plan', path: BUNDLE_FILES.run, message });
  }
  if (plan.evidence === undefined) return faults;
  const owner = new Map<string, string>();
  for (const { event } of journal.records) {
    const cell = event.type === 'intent' ? plan.cells[event.position] : undefined;
    if (event.type !== 'intent' || cell === undefined) continue;
    const place = placeOf(cell);
    if ((owner.get(event.cellTarget) ?? place) !== place) {
      const message = `the cells ${owner.get(event.cellTarget)} and ${place} share the cell target ${event.cellTarget}`;
      return [...faults, { kind: 'journal', path: BUNDLE_FILES.journal, message }];
    }
    owner.set(event.cellTarget, place);
  }
  return faults;
}

/** The first name that is there twice, if any. */
function twice(names: readonly string[]): string[] {
  const seen = new Set<string>();
  const found = names.find((name) => seen.size === seen.add(name).size);
  return found === undefined ? [] : [found];
}

/** The aggregate follows from a bundle that stays on its host; here only its being there can be checked. Pure. */
export function heldOutFaults({ plan, heldOut }: BundleDocuments): Difference[] {
  if (plan.heldOut === undefined || isHeldOutPlan(plan) || heldOut !== null) return [];
  const message = 'the plan holds cells out, and their aggregate is not here';
  return [{ kind: 'missing', path: BUNDLE_FILES.heldOut, message }];
}
