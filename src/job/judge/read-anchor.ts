import type { Inputs } from '../../inputs/read-inputs.ts';
import type { Measurement } from '../../results/measurement.ts';
import type { GivenAnchor } from '../../verdict/anchor.ts';
import { prepareRecords } from '../../verdict/baseline.ts';
import { readBaselineFile, recordsOfAccepted } from '../runs/read-baseline-file.ts';
import type { AcceptedLookup } from './read-baseline.ts';

/**
 * The anchor of a measurement: the run that small drops over many merges are added up since. Null for none, and where the
 * accepted baseline is that very run: it is compared with already.
 * @param found the anchor and the accepted baseline of the base branch.
 */
export async function anchorFor(
  { plan, run }: Measurement,
  wanted: Pick<Inputs, 'anchor' | 'baseline'>,
  found: { readonly anchor: AcceptedLookup; readonly accepted: AcceptedLookup },
): Promise<GivenAnchor | null> {
  const { anchor } = wanted;
  if (anchor.kind === 'none') return null;
  if (anchor.kind === 'path') return { baseline: await fromPath(anchor.path), named: true };
  const kept = await found.anchor(plan.suite);
  if (kept.kind === 'none') return null;
  if (kept.kind === 'unreadable')
    return { baseline: unreadable('on the report branch', kept.why), named: false };
  const { branch, commit, runId, attempt } = kept.baseline.header;
  if (wanted.baseline.kind === 'auto') {
    const accepted = await found.accepted(plan.suite);
    const header = accepted.kind === 'accepted' ? accepted.baseline.header : null;
    if (header?.runId === runId && header.attempt === attempt) return null;
  }
  const name = `${branch} at ${commit === null ? runId : commit.slice(0, 10)}`;
  return {
    baseline: prepareRecords(plan, run.fingerprint, recordsOfAccepted(kept.baseline, name)).baseline,
    named: false,
  };

  async function fromPath(given: string): Promise<GivenAnchor['baseline']> {
    const file = await readBaselineFile(given);
    switch (file.kind) {
      case 'absent':
        return { kind: 'absent', name: given };
      case 'unreadable':
        return unreadable(file.name, file.why);
      case 'counts':
        return unreadable(file.counted.name, 'it holds counts and no cells');
      case 'records':
        return prepareRecords(plan, run.fingerprint, file.recorded).baseline;
    }
  }
}

function unreadable(name: string, why: string): GivenAnchor['baseline'] {
  const text = `The anchor ${name} cannot be read: ${why.slice(0, 300)}.`;
  return { kind: 'refused', name, reasons: [{ code: 'baseline_unreadable', text }] };
}
