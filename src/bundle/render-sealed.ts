import type { ReportInput } from '../report/view/report-input.ts';
import { withHeldOut } from '../verdict/held-out-decision.ts';
import { sealedDecision } from '../verdict/run-decision.ts';
import type { BundleDocuments } from './documents.ts';
import type { Recomputed } from './recompute.ts';

/**
 * What the pages and tables of a bundle are rendered from, its own verdict included: from what the bundle holds and
 * nothing else. Sealing renders it, and checking renders it again. Pure.
 */
export function sealedReport(
  documents: BundleDocuments,
  { records, results }: Recomputed,
  shown: Pick<ReportInput, 'audience' | 'bundleDir'>,
): ReportInput {
  const { plan, heldOut } = documents;
  const decision = withHeldOut(sealedDecision(documents, records), plan, heldOut);
  const judged = { results, records, decision, heldOut, comparison: null, average: null };
  return { ...judged, provisional: true, ...shown };
}
