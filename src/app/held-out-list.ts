import * as path from 'node:path';
import type { Difference } from '../bundle/difference.ts';
import { BUNDLE_FILES } from '../bundle/layout.ts';
import type { BundleCheck } from '../bundle/verify.ts';
import { readTextCapped } from '../files/atomic-file.ts';
import { isHeldOutPlan } from '../model/plan.ts';
import { heldOutCommitment, MAX_HELD_OUT_BYTES, parseHeldOut, placeOf } from '../plan/held-out-list.ts';

/** How a revealed list and a bundle fit together. */
interface ListCheck {
  readonly differences: readonly Difference[];
  /** What was found, for people. */
  readonly said: readonly string[];
}

/**
 * Holds a held-out file against a public bundle (its commitment) or a held-out one (its cells as well). Whoever has the
 * file can do that, offline.
 * @throws RbError RB426 or RB2xx for a file that cannot be used.
 */
export async function checkList({ documents }: BundleCheck, file: string): Promise<ListCheck> {
  const list = parseHeldOut(
    await readTextCapped(path.resolve(file), MAX_HELD_OUT_BYTES),
    path.basename(file),
  );
  const { plan } = documents;
  const at = (message: string): ListCheck => ({
    differences: [{ kind: 'held out', path: BUNDLE_FILES.plan, message }],
    said: [],
  });
  if (plan.heldOut === undefined) return at('the plan holds nothing out');
  const commitment = heldOutCommitment(list);
  if (plan.suite !== list.suite || plan.heldOut.commitment !== commitment)
    return at(`the plan committed to ${plan.heldOut.commitment}, but this list has ${commitment}`);
  if (isHeldOutPlan(plan)) {
    const listed = new Set(list.cells.map(placeOf));
    const planned = new Set(plan.cells.map(placeOf));
    if (listed.size !== planned.size || [...planned].some((place) => !listed.has(place)))
      return at('the plan holds other cells than the list');
  }
  return {
    differences: [],
    said: [`The list of ${list.cells.length} held-out cells is the one that the plan committed to.`],
  };
}

/** For a held-out bundle: what the public one must say of it; empty for any other. */
export function manifestNote({ documents, manifestSha256 }: BundleCheck): readonly string[] {
  const { plan, run } = documents;
  if (!isHeldOutPlan(plan)) return [];
  return [
    `Held-out bundle of ${run.heldOutOf?.runId ?? 'an unknown run'}: heldout.json of the public bundle must name manifest ${manifestSha256}.`,
  ];
}
