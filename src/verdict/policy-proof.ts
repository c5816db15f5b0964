import type { EpisodeRecord } from '../model/episode-record.ts';
import type { Plan } from '../model/plan.ts';
import type { Reason } from '../model/verdict.ts';
import { few } from './few.ts';
import { validOutcome } from './pairing.ts';

/** Sessions whose episode counts and of which nothing shows that the policy that was meant acted in it, with the reason. */
function unprovenSessions(
  plan: Pick<Plan, 'timeoutsAs'>,
  records: readonly EpisodeRecord[],
): readonly { readonly sessionId: string; readonly why: string }[] {
  return records.flatMap(({ outcome, sessionId, policyProof }) => {
    const counts = validOutcome(outcome, plan.timeoutsAs) !== null;
    if (!counts || policyProof?.state !== 'not_proven') return [];
    return [{ sessionId: sessionId ?? 'unknown', why: policyProof.note ?? 'unknown' }];
  });
}

/** Why a run that recorded its policies says nothing about them; empty when all is proven or nothing was recorded. */
export function proofReasons(plan: Plan, records: readonly EpisodeRecord[]): Reason[] {
  const unproven = unprovenSessions(plan, records);
  const reasons: Reason[] = [];
  if (unproven.length > 0) {
    const whys = [...new Set(unproven.map(({ why }) => why))];
    const text = `${unproven.length} sessions do not prove that the policy that was meant acted in them (${few(whys)}): ${few(unproven.map(({ sessionId }) => sessionId))}.`;
    reasons.push({ code: 'policy_not_proven', text });
  }
  const others = records.filter(({ policyProof }) => policyProof?.state === 'other_policy');
  if (others.length > 0) {
    const text = `In ${others.length} sessions another policy answered than before the run: ${few(others.map(named))}.`;
    reasons.push({ code: 'policy_changed', text });
  }
  return reasons;
}

/** Said aloud, and never decides: the recorded policy answered more often than the simulator acted. */
export function proofWarnings(records: readonly EpisodeRecord[]): Reason[] {
  const differ = records.filter(
    ({ policyProof }) => policyProof?.state === 'proven' && policyProof.note !== null,
  );
  if (differ.length === 0) return [];
  const text = `In ${differ.length} sessions the relay and the runtime count the policy's answers differently: ${few(differ.map((record) => `${named(record)}: ${record.policyProof?.note ?? ''}`))}.`;
  return [{ code: 'policy_calls_differ', text }];
}

function named({ sessionId, policyProof }: EpisodeRecord): string {
  const note = policyProof?.state === 'other_policy' ? ` (${policyProof.note ?? ''})` : '';
  return `${sessionId ?? 'unknown'}${note}`;
}
