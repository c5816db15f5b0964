import type { PolicyProof } from '../model/episode-record.ts';
import type { PolicyRecording } from '../model/policy-recording.ts';
import type { Classified } from './classified.ts';

/**
 * Holds a session's recording against its outcome. An episode needs an answer of the recorded policy for each one the
 * simulator executed: with fewer, somebody else acted. More do not matter: an answer may come too late to be used. Pure.
 * @param recording null when none was kept.
 * @param before digest of the arm's policy as it was met; null or left out: not known. A recording of another one is one
 * of another policy, whatever it says of itself.
 */
export function proofOf(
  { outcome, policyCalls }: Pick<Classified, 'outcome' | 'policyCalls'>,
  recording: PolicyRecording | null,
  before: string | null = null,
): PolicyProof {
  const finished = outcome === 'success' || outcome === 'failure';
  const acted = finished || outcome === 'timed_out';
  if (recording === null) {
    const seen = { calls: null, answers: null, latencyMs: null };
    return acted
      ? { state: 'not_proven', note: 'no recording of its policy was kept', ...seen }
      : { state: 'nothing_to_prove', note: null, ...seen };
  }
  const { calls, answers, latencyMs, metadata, connections } = recording;
  const seen = { calls, answers, latencyMs: latencyMs?.mean ?? null };
  const digest = metadata?.digest ?? null;
  const other = before !== null && digest !== null && digest !== before;
  if (other || metadata?.sameAsBefore === false) {
    return {
      state: 'other_policy',
      note: `the policy called itself ${digest ?? 'nothing'}`,
      ...seen,
    };
  }
  if (!acted) return { state: 'nothing_to_prove', note: null, ...seen };
  const missing = finished ? whatIsMissing(recording, policyCalls) : connections === 0 ? NOT_ASKED : null;
  if (missing !== null) return { state: 'not_proven', note: missing, ...seen };
  return { state: 'proven', note: finished ? surplus(answers, policyCalls) : null, ...seen };
}

const NOT_ASKED = 'the runtime never asked the recorded policy';

function whatIsMissing(
  { calls, answers, textAnswers }: PolicyRecording,
  executed: number | null,
): string | null {
  if (calls === 0) return NOT_ASKED;
  const usable = answers - textAnswers;
  if (usable === 0) return 'the recorded policy never answered';
  if (executed === null || usable >= executed) return null;
  return `the simulator executed ${executed} answers, but the recorded policy gave ${usable}`;
}

/** The runtime asks once for each answer it executes, so a surplus means that somebody else asked, too. */
function surplus(answers: number, executed: number | null): string | null {
  if (executed === null || answers === executed) return null;
  return `the recorded policy gave ${answers} answers, the simulator executed ${executed}`;
}
