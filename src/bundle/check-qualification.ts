import { qualificationSchema } from '../qualification/qualification.ts';
import type { BundleDocuments } from './documents.ts';
import { readTextOrNull } from './documents.ts';
import { sha256Of } from './hash-file.ts';
import { BUNDLE_FILES } from './layout.ts';

/** Why the qualification that run.json names is not the one in the bundle, in words; empty when it is, or none is named. */
export function qualificationFaults(
  bundleDir: string,
  { run, plan }: Pick<BundleDocuments, 'run' | 'plan'>,
): string[] {
  const named = run.qualification;
  if (named === undefined) return [];
  const text = readTextOrNull(bundleDir, BUNDLE_FILES.qualification);
  if (text === null) return [`run.json relies on ${named.id}, which is not in the bundle`];
  const sha256 = sha256Of(text);
  if (sha256 !== named.sha256)
    return [`run.json relies on a qualification with SHA-256 ${named.sha256}, this one has ${sha256}`];
  const parsed = qualificationSchema.safeParse(jsonOf(text));
  if (!parsed.success) return ['it is no qualification that this release knows'];
  const { id, qualified, qualifiedAt, bound } = parsed.data;
  return [
    ...(qualified ? [] : ['it did not pass, and a run relied on it']),
    ...(id === named.id && qualifiedAt === named.qualifiedAt ? [] : ['run.json names another one']),
    ...(bound.suite === plan.suite ? [] : [`it is of ${bound.suite}, not of ${plan.suite}`]),
  ];
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
