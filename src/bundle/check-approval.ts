import type * as z from 'zod';
import { stableJson } from '../base/stable-json.ts';
import { reservationSchema } from '../model/approval.ts';
import { type BundleDocuments, readTextOrNull } from './documents.ts';
import { BUNDLE_FILES } from './layout.ts';

/** One file of the bundle and why it does not fit run.json, in words. */
interface ApprovalFault {
  readonly path: string;
  readonly message: string;
}

/**
 * Where run.json and the bundle's approval.json and reservation.json tell different stories; empty when the run needed
 * no approval and the bundle holds none.
 */
export function approvalFaults(bundleDir: string, { run }: Pick<BundleDocuments, 'run'>): ApprovalFault[] {
  const approval = run.approval?.state === 'approved' ? run.approval.approval : null;
  const kept = readTextOrNull(bundleDir, BUNDLE_FILES.approval);
  const reserved = readTextOrNull(bundleDir, BUNDLE_FILES.reservation);
  if (approval === null) {
    const unnamed = 'run.json does not say that the run was approved';
    return [
      ...(kept === null ? [] : [{ path: BUNDLE_FILES.approval, message: unnamed }]),
      ...(reserved === null ? [] : [{ path: BUNDLE_FILES.reservation, message: unnamed }]),
    ];
  }
  // Held-out cells are measured under the right of their public run.
  const ownRuns = [run.runId, run.heldOutOf?.runId];
  const faults: ApprovalFault[] = [];
  if (kept !== stableJson(approval))
    faults.push({ path: BUNDLE_FILES.approval, message: `it is not the approval that run.json names` });
  const reservation = parsedReservation(reserved);
  if (reservation === null)
    faults.push({ path: BUNDLE_FILES.reservation, message: 'nothing shows that this run took the approval' });
  else if (reservation.approvalId !== approval.id || !ownRuns.includes(reservation.runId))
    faults.push({ path: BUNDLE_FILES.reservation, message: 'it is of another approval or another run' });
  return faults;
}

function parsedReservation(text: string | null): z.infer<typeof reservationSchema> | null {
  try {
    return text === null ? null : (reservationSchema.safeParse(JSON.parse(text)).data ?? null);
  } catch {
    return null;
  }
}
