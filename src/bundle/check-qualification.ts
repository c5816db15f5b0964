import { sha256Of } from '../base/sha256.ts';
import { type Qualification, qualificationSchema } from '../model/qualification.ts';
import { askedDifferences, askedOf, withoutPlanFields } from '../qualification/bound.ts';
import { failedParts, isDatedBefore } from '../qualification/freshness.ts';
import { compareFingerprints } from '../verdict/fingerprint.ts';
import type { BundleDocuments } from './documents.ts';
import { readTextOrNull } from './documents.ts';
import { BUNDLE_FILES } from './layout.ts';

type Documents = Pick<BundleDocuments, 'run' | 'plan'>;

/** Why the qualification that run.json names is not the one in the bundle, in words; empty when it is, or none is named. */
export function qualificationFaults(bundleDir: string, documents: Documents): string[] {
  const named = documents.run.qualification;
  if (named === undefined) return [];
  const text = readTextOrNull(bundleDir, BUNDLE_FILES.qualification);
  if (text === null) return [`run.json relies on ${named.id}, which is not in the bundle`];
  const sha256 = sha256Of(text);
  if (sha256 !== named.sha256)
    return [`run.json relies on a qualification with SHA-256 ${named.sha256}, this one has ${sha256}`];
  const parsed = qualificationSchema.safeParse(jsonOf(text));
  if (!parsed.success) return ['it is no qualification that this release knows'];
  const { id, qualifiedAt, positiveControl } = parsed.data;
  const same =
    id === named.id && qualifiedAt === named.qualifiedAt && positiveControl === named.positiveControl;
  return [
    ...(same ? [] : ['run.json names another one']),
    ...resultFaults(parsed.data),
    ...holdFaults(parsed.data, documents),
  ];
}

/** It says itself that it passed, and its controls must say the same. */
function resultFaults(made: Qualification): string[] {
  const { qualified, controls, mutants } = made;
  if (!qualified) return ['it did not pass, and a run relied on it'];
  const whole = controls.length > 0 && mutants.length > 0 && made.skipped.length === 0;
  const failed = [...controls.filter(({ state }) => state !== 'ok'), ...mutants.filter(({ ok }) => !ok)];
  if (whole && failed.length === 0) return [];
  return [
    `it claims to have passed, but ${whole ? failedParts(made).join(', ') : 'parts of it are missing'}`,
  ];
}

/** What it holds for must be what was measured; endpoints are not compared, since a published copy has none. */
function holdFaults({ bound, qualifiedAt }: Qualification, { run, plan }: Documents): string[] {
  const differing = compareFingerprints(bound.fingerprint, withoutPlanFields(run.fingerprint)).differing;
  const told: readonly (readonly [string, string, string])[] = [
    ['suite', bound.suite, plan.suite],
    ['target', bound.target, run.target.id],
    ['skill runtime', bound.skillruntime, plan.skillruntime],
    ['version of Rollout Bench', bound.tool.version, run.tool.version],
    ['build of Rollout Bench', bound.tool.distHash ?? 'unknown', run.tool.distHash ?? 'unknown'],
  ];
  return [
    ...told
      .filter(([, then, now]) => then !== now)
      .map(([what, then, now]) => `it is of the ${what} ${then}, not of ${now}`),
    ...(bound.asked === undefined
      ? []
      : askedDifferences(bound.asked, askedOf(plan.limits, plan.thresholds)).map(
          (what) => `it was made for other floors or steps: ${what}`,
        )),
    ...differing.map((field) => `it is of a target whose fingerprint differs in ${field}`),
    ...(run.sealedAt === null || isDatedBefore(qualifiedAt, run.sealedAt)
      ? []
      : [`it is of ${qualifiedAt}, after the run that relied on it`]),
  ];
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
