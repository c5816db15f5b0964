import type { Outcome } from '../model/episode-record.ts';
import type { Cell, Plan } from '../model/plan.ts';
import type { CellFinding } from './cell-evidence.ts';
import type { Classified } from './classified.ts';
import type { SessionEvidence } from './evidence.ts';
import { type Facts, gatherFacts } from './facts.ts';
import { accountOf, cellFinding } from './session-proof.ts';
import type { SimulatorAccount } from './simulator-account.ts';
import { TERMINAL_STATUSES } from './terminal-statuses.ts';

interface ClassifyInput {
  /** Null together with `cell` for sessions that others queued: nothing was planned, so nothing is compared. */
  readonly plan: Plan | null;
  readonly cell: Cell | null;
  /** Id of the target that was made for the cell; only `evidence: session` of a plan looks at it. */
  readonly cellTarget?: string;
  readonly evidence: SessionEvidence;
  /** Mode of a verifier that may have had a word in the session's status; null: none had, as far as is known. */
  readonly verifier: string | null;
}

/** Codes of `failed` sessions whose episode the simulator finished or the policy ended: its account decides. */
const POLICY_CODES: ReadonlySet<string> = new Set(['MAX_STEPS_EXCEEDED']);

/** Longest error text kept in a record; the whole text stays in raw/. */
const MESSAGE_LIMIT = 2_000;

/**
 * Judges one session's evidence. Pure: the same evidence always gives the same answer.
 * A session's `succeeded` alone is never an episode's success, sources that
 * disagree are a conflict, and an episode that ran another cell than the planned one is a mismatch.
 */
export function classify(input: ClassifyInput): Classified {
  const { verifier } = input;
  const facts = gatherFacts(input.evidence, verifier !== null);
  const account = accountOf(input.plan, facts);
  const base = measured(input.evidence, facts, account);
  const decided = judge(input, facts, account);
  return {
    ...base,
    ...decided,
    notes: [...facts.notes, ...decided.notes],
    errorMessage: shorten(decided.errorMessage),
    verifierSays: verifier === null ? null : verifierWord(facts, decided),
  };
}

/** Under a verifier the status of a finished session is its word; an episode that gave no outcome is no matter of opinion. */
function verifierWord({ status }: Facts, { outcome }: Decided): boolean | null {
  if (outcome !== 'success' && outcome !== 'failure') return null;
  if (status === 'succeeded') return true;
  return status === 'failed' ? false : null;
}

/** Errors of the infrastructure, worth another session of the same cell; a policy failure never is. */
export function isRetryable(outcome: Outcome): boolean {
  return outcome === 'error' || outcome === 'lost';
}

interface Decided {
  readonly outcome: Outcome;
  readonly success: boolean | null;
  readonly successSource: Classified['successSource'];
  readonly errorCode: string | null;
  readonly errorMessage: string | null;
  readonly notes: readonly string[];
}

function judge(input: ClassifyInput, facts: Facts, account: SimulatorAccount): Decided {
  if (facts.status === null) {
    return without('lost', facts, ['the session vanished from the queue and left no evidence']);
  }
  if (facts.unreadableSession) {
    return without('conflict', facts, ['the session entry is not readable as a session of this id']);
  }
  if (!TERMINAL_STATUSES.has(facts.status)) return unsettled(facts);
  if (facts.status === 'cancelled') return without('cancelled', facts, []);
  if (facts.status === 'rejected') return without('rejected', facts, preflightNotes(facts));
  const contradiction = [...account.conflicts, ...facts.impossible];
  if (contradiction.length > 0) return without('conflict', facts, contradiction);
  if (isTimeout(facts)) return timedOut(facts, account);
  if (isInfrastructure(facts)) return infrastructure(facts, account);
  return bySimulator(input, facts, account);
}

function without(outcome: Outcome, facts: Facts, notes: readonly string[]): Decided {
  return {
    outcome,
    success: null,
    successSource: null,
    errorCode: facts.errorCode,
    errorMessage: facts.errorMessage,
    notes,
  };
}

function unsettled(facts: Facts): Decided {
  if (facts.status === 'pending') {
    const retried = facts.errorCode === null ? [] : ['waiting for a retry of the runtime after an error'];
    return without('not_run', facts, retried);
  }
  return {
    ...without('error', facts, [`the session never settled: it is still ${facts.status}`]),
    errorCode: facts.errorCode ?? 'SESSION_NOT_SETTLED',
    errorMessage: facts.errorMessage ?? `session left in state ${facts.status}`,
  };
}

function preflightNotes(facts: Facts): readonly string[] {
  return facts.preflightCodes.map((code) => `preflight: ${code}`);
}

/**
 * A timeout after the first finished chunk ends in SESSIONS.md as RUNTIME_ERROR, because the runtime fails to store
 * the last camera image; LOG.md and episode.json were written before that and tell the truth.
 */
function isTimeout(facts: Facts): boolean {
  if (facts.status === 'timed_out' || facts.errorCode === 'EXECUTION_TIMEOUT') return true;
  return isLateTimeout(facts);
}

function isLateTimeout(facts: Facts): boolean {
  if (facts.errorCode !== 'RUNTIME_ERROR' || !facts.errorMessage?.includes('numpy.ndarray')) return false;
  return facts.log?.status === 'timed_out' || facts.episode?.status === 'timed_out';
}

function timedOut(facts: Facts, account: SimulatorAccount): Decided {
  if (account.success === true) {
    return without('conflict', facts, ['the runtime says timed out, the simulator says success']);
  }
  if (!isLateTimeout(facts)) return without('timed_out', facts, []);
  return {
    ...without('timed_out', facts, ['late timeout: SESSIONS.md says RUNTIME_ERROR, LOG.md says timed_out']),
    errorCode: 'EXECUTION_TIMEOUT',
    errorMessage: facts.log?.error_message ?? facts.episode?.error_message ?? facts.errorMessage,
  };
}

/** Any code that is neither the policy's nor the verifier's is a fault of target, connection, adapter or runtime. */
function isInfrastructure(facts: Facts): boolean {
  if (facts.errorCode === null || POLICY_CODES.has(facts.errorCode)) return false;
  return !facts.errorCode.startsWith('VERIFICATION_');
}

function infrastructure(facts: Facts, account: SimulatorAccount): Decided {
  if (account.success !== null && !facts.retriedByRuntime) {
    return without('conflict', facts, [
      'the runtime reports a fault, yet the simulator reported a finished episode',
    ]);
  }
  const notes: string[] = [];
  if (account.success !== null) notes.push('artifacts on disk are from an earlier try of the runtime');
  if (facts.errorMessage?.includes('target.close')) {
    notes.push('a failing target.close hides the original cause and any result');
  }
  return without('error', facts, notes);
}

function bySimulator(input: ClassifyInput, facts: Facts, account: SimulatorAccount): Decided {
  const finding = cellFinding(input, facts, account);
  if (account.targetNative) {
    return without('missing', facts, ['a target-native job: its status is not an episode result']);
  }
  if (account.success === null) {
    return without('missing', facts, [missingReason(facts), ...finding.notes]);
  }
  if (finding.kind !== 'same') return without(outcomeOf(finding), facts, finding.notes);
  const early = account.done === false && !account.success && facts.errorCode !== 'MAX_STEPS_EXCEEDED';
  if (early)
    return without('missing', facts, [
      'the simulator did not say that the episode is over',
      ...finding.notes,
    ]);
  return {
    outcome: account.success ? 'success' : 'failure',
    success: account.success,
    successSource: account.source,
    errorCode: facts.errorCode,
    errorMessage: facts.errorMessage,
    notes: [...account.notes, ...finding.notes, ...plausibility(input, facts, account)],
  };
}

function outcomeOf(finding: CellFinding): Outcome {
  if (finding.kind === 'contradictory') return 'conflict';
  return finding.kind === 'different' ? 'mismatch' : 'missing';
}

function missingReason(facts: Facts): string {
  if (facts.episodeState === 'absent') return 'finished, but no episode.json and no final status is left';
  return 'finished, but neither episode.json nor the session says whether the episode succeeded';
}

function plausibility(input: ClassifyInput, facts: Facts, account: SimulatorAccount): readonly string[] {
  const notes: string[] = [];
  if (account.success === true && account.steps === 0) notes.push('success at step 0');
  const limit = input.plan?.limits.maxSteps ?? null;
  if (limit !== null && account.steps !== null && account.steps > limit) {
    notes.push(`${account.steps} steps, although the limit was ${limit}`);
  }
  if (facts.errorCode === 'MAX_STEPS_EXCEEDED')
    notes.push('policy calls used up before the simulator ended the episode');
  return notes;
}

function measured(
  evidence: SessionEvidence,
  facts: Facts,
  account: SimulatorAccount,
): Omit<Classified, keyof Decided | 'verifierSays'> {
  return {
    steps: account.steps,
    episodeReturn: account.episodeReturn,
    policyLatencyMs: account.policyLatencyMs,
    policyCalls: account.policyCalls,
    finishedAt: facts.session?.updated_at ?? facts.log?.updated_at ?? null,
    artifactDir: evidence.episode.state === 'absent' ? null : `artifacts/runtime/${evidence.sessionId}`,
    executed: account.executed,
  };
}

function shorten(message: string | null): string | null {
  if (message === null || message.length <= MESSAGE_LIMIT) return message;
  // Never cut a surrogate pair in two: half a character is not valid text in JSON or YAML.
  const cut = message.slice(0, MESSAGE_LIMIT).replace(/[\ud800-\udbff]$/u, '');
  return `${cut}…`;
}
