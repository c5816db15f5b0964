import { loadBundle } from '../../bundle/load-bundle.ts';
import type { EpisodeRecord } from '../../model/episode-record.ts';
import type { Decision } from '../../model/verdict.ts';
import { connectionFault } from '../../outcome/connection-fault.ts';
import { sealedDecision } from '../../verdict/run-decision.ts';

/** Reasons of an INVALID run that more valid episodes take away. */
const MENDED_BY_EPISODES: ReadonlySet<string> = new Set([
  'incomplete',
  'task_incomplete',
  'no_episodes',
  'no_pairs',
]);

/**
 * Why a sealed attempt is not opened again by a resume; null when it is: INVALID for nothing but missing episodes, some
 * of which ended in a connection error. What has a verdict is not measured again in parts, since that would be a choice.
 * @throws RbError RB702, RB703 or RB706 for a bundle that is not as it was sealed.
 */
export async function whyStaysSealed(bundleDir: string): Promise<string | null> {
  const bundle = await loadBundle(bundleDir);
  return whyStays(sealedDecision(bundle, bundle.records), bundle.records);
}

/** The same from its verdict and records. Pure. */
export function whyStays(
  { verdict, reasons }: Pick<Decision, 'verdict' | 'reasons'>,
  records: readonly EpisodeRecord[],
): string | null {
  if (verdict !== 'INVALID') return 'its last attempt is sealed and valid; nothing is left to do';
  const lasting = reasons.filter(({ code }) => !MENDED_BY_EPISODES.has(code));
  if (lasting.length > 0)
    return `its last attempt is sealed and INVALID for what measuring again does not mend: ${lasting.map(({ text }) => text.replace(/\.$/, '')).join('; ')}`;
  if (!records.some(isWorthAnother))
    return 'its last attempt is sealed, and none of its episodes ended in a connection error; nothing is left to do';
  return null;
}

/** A timeout or a slow policy is what the policy did; a connection that was refused or broke is the host's. */
function isWorthAnother(record: EpisodeRecord): boolean {
  const fault = connectionFault(record);
  return fault === 'refused' || fault === 'lost';
}
