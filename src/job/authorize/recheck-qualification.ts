import { readdir } from 'node:fs/promises';
import * as path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { BUNDLE_FILES } from '../../bundle/layout.ts';
import { type LoadedBundle, loadBundle } from '../../bundle/load-bundle.ts';
import { RbError } from '../../errors/rb-error.ts';
import { resolveInside } from '../../files/atomic-file.ts';
import { BENCH_FOLDER } from '../../lane/host-folder.ts';
import type { ControlResult, MutantResult, Qualification } from '../../model/qualification.ts';
import { endpointDigest, fingerprintDifferences, withoutPlanFields } from '../../qualification/bound.ts';
import {
  type Control,
  conclusionOf,
  controlsFor,
  hasFinishedEpisodes,
  resultOf,
} from '../../qualification/controls.ts';
import { sealedDecision } from '../../verdict/run-decision.ts';
import { readQualification } from '../runs/keep-qualification.ts';
import type { Environment } from '../verb.ts';
import { MUTANT_NAMES, tryMutants } from './try-mutants.ts';

/** Damaging the evidence is all that happens between the last seal and the end of a qualification. */
const AFTER_LAST_SEAL_MS = 3_600_000;

/**
 * Why a kept qualification is not what its own evidence says, in words; empty when it is. The bundle of each control is
 * verified and judged again, its evidence damaged again, and what comes of that compared with the claim. Whoever can
 * write all of the host's files can make evidence, too: this finds a claim that was changed, not one that was made up.
 */
export function qualificationFaults(
  workspace: string,
  made: Qualification,
  env: Environment,
): Promise<string[]> {
  return faultsOf(workspace, made, (evidence) => tryMutants(evidence, env));
}

/**
 * The same without damaging anything: controls are verified and judged again, and what the claim says of damaged evidence
 * is taken as it is, as long as it speaks of every kind. Quick enough to be asked for on the way.
 */
export function controlFaults(workspace: string, made: Qualification): Promise<string[]> {
  return faultsOf(workspace, made, async () => {
    const claimed = new Map(made.mutants.map((mutant) => [mutant.name, mutant]));
    return MUTANT_NAMES.map((name) => claimed.get(name) ?? untold(name));
  });
}

/** Equal to nothing that a claim may say. */
function untold(name: string): MutantResult {
  return { name, expected: '', observed: 'the claim does not tell', applied: false, ok: false };
}

/** Damages evidence (a bundle's folder; null: there is none to damage), or says what came of it then. */
type Damage = (evidence: string | null) => Promise<MutantResult[]>;

async function faultsOf(workspace: string, made: Qualification, damage: Damage): Promise<string[]> {
  try {
    return await faultsIn(await resolveInside(workspace, path.join(BENCH_FOLDER, made.id)), made, damage);
  } catch (error) {
    if (!(error instanceof RbError)) throw error;
    return error.problems.map(({ where, message }) => `${where}: ${message.replace(/\.$/, '')}`);
  }
}

async function faultsIn(folder: string, made: Qualification, damage: Damage): Promise<string[]> {
  const controls = controlsFor(made.controls.some(({ kind }) => kind === 'positive'));
  const wrong = await foldersFault(folder, controls);
  if (wrong !== null) return [wrong];
  if (!isDeepStrictEqual(await readQualification(path.join(folder, BUNDLE_FILES.qualification)), made))
    return [`it is not the one beside its evidence in ${BENCH_FOLDER}/${made.id}`];
  const results: ControlResult[] = [];
  const faults: string[] = [];
  const sealedAt: string[] = [];
  for (const control of controls) {
    const bundle = await loadBundle(path.join(folder, control.name));
    results.push(judgedAgain(control, bundle, made.gate));
    faults.push(...subjectFaults(control, bundle, made));
    if (bundle.run.sealedAt !== null) sealedAt.push(bundle.run.sealedAt);
  }
  const usable = results.find(hasFinishedEpisodes);
  const mutants = await damage(usable === undefined ? null : path.join(folder, usable.name));
  const claimed: Readonly<Record<string, unknown>> = made;
  return [
    ...faults,
    ...timeFaults(made, sealedAt),
    ...Object.entries(conclusionOf(results, mutants))
      .filter(([part, again]) => !isDeepStrictEqual(again, claimed[part]))
      .map(([part]) => `its ${part} follow from other evidence`),
  ];
}

/** A control that is left out of the claim, or one that nobody asked for. */
async function foldersFault(folder: string, controls: readonly Control[]): Promise<string | null> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const there = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  const missing = controls.filter(({ name }) => !there.includes(name)).map(({ name }) => name);
  if (missing.length > 0) return `the evidence of ${missing.join(', ')} is gone`;
  const more = there.filter((name) => controls.every((control) => control.name !== name));
  return more.length === 0 ? null : `there is evidence of ${more.join(', ')}, of which it says nothing`;
}

function judgedAgain(control: Control, bundle: LoadedBundle, gate: number): ControlResult {
  const { records, manifestSha256 } = bundle;
  const { verdict } = sealedDecision(bundle, records);
  return resultOf(control, { records, verdict, gate }, manifestSha256);
}

/** Is the evidence about what the qualification says that it is about? */
function subjectFaults(
  { name }: Control,
  { plan, run }: LoadedBundle,
  { id, bound, gate }: Qualification,
): string[] {
  const same: readonly (readonly [string, unknown, unknown])[] = [
    ['run', run.runId, `${id}-${name}`],
    ['gate', plan.thresholds.minSuccessRate, gate],
    ['suite', plan.suite, bound.suite],
    ['target', run.target.id, bound.target],
    ['endpoint of the target', endpointDigest(run.target.endpoint), bound.targetEndpointSha256],
    ['skill runtime', plan.skillruntime, bound.skillruntime],
    ['program', run.tool, bound.tool],
  ];
  const setting = fingerprintDifferences(withoutPlanFields(run.fingerprint), bound.fingerprint);
  return [
    ...same.filter(([, then, claimed]) => !isDeepStrictEqual(then, claimed)).map(([what]) => what),
    ...setting.map((field) => `fingerprint: ${field}`),
  ].map((what) => `the evidence of ${name} is of another ${what}`);
}

/** An old qualification does not get young by another date. */
function timeFaults({ qualifiedAt }: Qualification, sealedAt: readonly string[]): string[] {
  const sinceMs = Date.parse(qualifiedAt) - Math.max(...sealedAt.map((at) => Date.parse(at)));
  if (sinceMs >= 0 && sinceMs <= AFTER_LAST_SEAL_MS) return [];
  return [`it is dated ${qualifiedAt}, and its last evidence was sealed at another time`];
}
