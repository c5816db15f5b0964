import { verifyBundle } from '../../bundle/verify.ts';
import { RbError } from '../../errors/rb-error.ts';
import type { Reason } from '../../model/verdict.ts';
import type { Measurement } from '../../results/measurement.ts';
import type { MeasuredPlan } from '../measure/measured-plan.ts';

/** A suite that was run here, as the report takes it; an unfinished one has no sealed part. */
export async function ownMeasurement(suite: MeasuredPlan, signal: AbortSignal): Promise<Measurement> {
  const { plan, planDigest, sealed } = suite;
  const { records, results, manifestSha256, heldOut } = sealed;
  const stopBaseline = suite.stopBaseline?.kept ?? null;
  const part = { plan, planDigest, run: results.run, records, results, stopBaseline, heldOut };
  const parts = manifestSha256 === null ? [] : [{ ...part, manifestSha256 }];
  return { ...part, parts, invalid: await ownFaults(suite, signal) };
}

/**
 * Why the sealed bundle of a release is not what was just measured: it is read back through the check that everybody
 * makes, before it is called anything. Empty for a sound one, for what is not sealed, and for every other purpose.
 */
async function ownFaults(
  { plan, bundleDir, sealed }: Pick<MeasuredPlan, 'plan' | 'bundleDir' | 'sealed'>,
  signal: AbortSignal,
): Promise<Reason[]> {
  if (plan.purpose !== 'release' || sealed.manifestSha256 === null || signal.aborted) return [];
  const why = await differencesIn(bundleDir, signal);
  const [first] = why;
  if (first === undefined) return [];
  const more = why.length === 1 ? '' : `, and ${why.length - 1} more`;
  const text = `The sealed bundle of this run does not verify: ${first}${more}. Keep it, find out who writes to it, and measure again.`;
  return [{ code: 'bundle_not_verified', text }];
}

async function differencesIn(bundleDir: string, signal: AbortSignal): Promise<string[]> {
  try {
    const found = await verifyBundle(bundleDir, { signal });
    return found.filter(({ kind }) => kind !== 'held back').map(({ path, message }) => `${path}: ${message}`);
  } catch (error) {
    if (!(error instanceof RbError)) throw error;
    return error.problems.map(({ message }) => message.replace(/\.$/, ''));
  }
}
