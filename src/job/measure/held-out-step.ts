import { readdir } from 'node:fs/promises';
import { BUNDLE_FILES } from '../../bundle/layout.ts';
import { loadBundle } from '../../bundle/load-bundle.ts';
import { heldOutDocuments } from '../../bundle/redact-bundle.ts';
import type { HeldOutSummary } from '../../model/held-out-summary.ts';
import { withoutCellTargets } from '../../plan/ids.ts';
import { planDigest } from '../../plan/make-plan.ts';
import { heldOutSummary } from '../../verdict/held-out-decision.ts';
import { type HeldOutGuard, maskedError, maskedLog } from '../prepare/held-out-guard.ts';
import type { HeldOutPlan } from '../prepare/held-out-plans.ts';
import { attemptsOf } from '../runs/attempt-folders.ts';
import { measurePlan } from './measure-plan.ts';
import type { HeldOutStep, MeasuredPlan, PlanToMeasure, PublicAttempt } from './measured-plan.ts';
import { inPrivate } from './private-folder.ts';

/**
 * Measures held-out cells by the same code as any others, in a run of their own whose bundle stays on the host. Nothing
 * but masked lines and the aggregate comes out. A run that is resumed keeps what it measured before.
 * @param request of the public plan.
 */
export function heldOutStep(
  guard: HeldOutGuard | null,
  held: HeldOutPlan | null,
  request: PlanToMeasure,
): HeldOutStep | undefined {
  if (guard === null || held === null) return undefined;
  return {
    guard,
    async measure(of) {
      const runId = `${of.runId}-heldout`;
      const kept = await keptSummary(request.host.workspace, runId, { of, digest: planDigest(held.plan) });
      if (kept !== null) {
        request.log.info('The held-out cells were measured before; their sealed result is kept.');
        return { end: null, documents: heldOutDocuments(kept) };
      }
      request.log.info(
        `Now the ${held.claim.count} held-out cells; nothing but their numbers leaves this host.`,
      );
      const mask = (text: string): string => withoutCellTargets(guard.mask(text));
      const run = await inPrivate(request.host.workspace, runId, () =>
        measurePlan(requestOf(request, held, { mask, runId, of })),
      ).catch((error: unknown) => {
        throw maskedError(error, mask);
      });
      const reason = run.end.reason === null ? null : mask(run.end.reason);
      return { end: { ...run.end, reason }, documents: heldOutDocuments(summaryOf(run)) };
    },
  };
}

function requestOf(
  request: PlanToMeasure,
  held: HeldOutPlan,
  { mask, runId, of }: { mask: (text: string) => string; runId: string; of: PublicAttempt },
): PlanToMeasure {
  return {
    ...request,
    plan: held.plan,
    found: held.found,
    runId,
    // Its own attempts are found by its own id; a difference is measured anew, never refused.
    inputs: { ...request.inputs, resume: null },
    stopBaseline: null,
    // The right to run was taken once, for both.
    authority: { ...request.authority, reservation: null },
    log: maskedLog(request.log, mask),
    heldOut: undefined,
    heldOutOf: { runId: of.runId, attempt: of.attempt },
  };
}

function summaryOf({ plan, planDigest: digest, sealed }: MeasuredPlan): HeldOutSummary | null {
  const { records, results, manifestSha256 } = sealed;
  // An unfinished attempt has no numbers yet.
  if (manifestSha256 === null) return null;
  return heldOutSummary({ plan, planDigest: digest, records, results, manifestSha256 });
}

/**
 * The sealed result of an attempt that is continued now: the public part may have been cut off after it. Any other sealed
 * result is of an earlier measurement, and taking that over would be a choice among results.
 */
async function keptSummary(
  workspace: string,
  runId: string,
  { of, digest }: { of: PublicAttempt; digest: string },
): Promise<HeldOutSummary | null> {
  const last = (await attemptsOf(workspace, runId)).at(-1);
  if (last === undefined || !(await readdir(last.bundleDir)).includes(BUNDLE_FILES.manifest)) return null;
  const {
    plan,
    run,
    records,
    results,
    manifestSha256,
    planDigest: sealed,
  } = await loadBundle(last.bundleDir);
  const continued = of.resume.some(({ attempt }) => attempt === run.heldOutOf?.attempt);
  if (sealed !== digest || run.heldOutOf?.runId !== of.runId || !continued) return null;
  return heldOutSummary({ plan, planDigest: sealed, records, results, manifestSha256 });
}
