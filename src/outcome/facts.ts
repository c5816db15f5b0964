import type { SessionEvidence } from './evidence.ts';
import {
  type EpisodeFacts,
  episodeSchema,
  factsOf,
  type LogFacts,
  logSchema,
  type SessionFacts,
  sessionSchema,
} from './evidence-schema.ts';

/** The three documents side by side, and what follows from them without looking at the simulator's account. */
export interface Facts {
  readonly session: SessionFacts | null;
  readonly log: LogFacts | null;
  readonly episode: EpisodeFacts | null;
  readonly episodeState: 'present' | 'absent' | 'unreadable';
  /** SESSIONS.md decides; LOG.md and episode.json only when the entry is gone. */
  readonly status: string | null;
  readonly unreadableSession: boolean;
  readonly errorCode: string | null;
  readonly errorMessage: string | null;
  readonly preflightCodes: readonly string[];
  /** The runtime's own retries keep old artifacts, so these may belong to an earlier try. */
  readonly retriedByRuntime: boolean;
  /** A semantic verifier may have overruled the session's status, which is then not the simulator's. */
  readonly verified: boolean;
  /** Values that nothing can have measured. */
  readonly impossible: readonly string[];
  readonly notes: readonly string[];
}

/**
 * Reads all sources of one session. A document that names another session is not evidence of this one.
 * @param underVerifier whether it is known from elsewhere that a verifier may have overruled the status.
 */
export function gatherFacts(evidence: SessionEvidence, underVerifier = false): Facts {
  const session = factsOf(sessionSchema, evidence.session);
  const log = sameSession(factsOf(logSchema, evidence.log), evidence.sessionId);
  const episode = readEpisode(evidence);
  const result = session?.result ?? null;
  const notes: string[] = [];
  if (session === null && (log !== null || episode.facts !== null)) {
    notes.push('the session entry is gone from SESSIONS.md; judged by LOG.md and episode.json');
  }
  if (episode.state === 'unreadable') notes.push(`episode.json could not be used: ${episode.reason}`);
  return {
    session,
    log,
    episode: episode.facts,
    episodeState: episode.state,
    status: session?.status ?? log?.status ?? episode.facts?.status ?? null,
    unreadableSession: isUnreadable(evidence, session),
    errorCode:
      session === null
        ? (log?.error_code ?? episode.facts?.error_code ?? null)
        : (result?.error_code ?? null),
    errorMessage:
      session === null
        ? (log?.error_message ?? episode.facts?.error_message ?? null)
        : (result?.error_message ?? null),
    preflightCodes: (result?.metadata?.preflight?.missing_items ?? []).flatMap((item) => item.code ?? []),
    retriedByRuntime: (session?.retry?.attempted ?? 0) > 0,
    verified: underVerifier || isVerified(session),
    impossible: impossibleValues(evidence),
    notes,
  };
}

function isUnreadable(evidence: SessionEvidence, session: SessionFacts | null): boolean {
  const given = evidence.session !== null && evidence.session !== undefined;
  return given && (session === null || session.session_id !== evidence.sessionId);
}

function isVerified(session: SessionFacts | null): boolean {
  const status = session?.result?.verification?.status ?? null;
  return session?.status === 'replanned' || (status !== null && status !== 'not_requested');
}

function sameSession<T extends { session_id: string | null }>(facts: T | null, sessionId: string): T | null {
  return facts !== null && (facts.session_id === null || facts.session_id === sessionId) ? facts : null;
}

function readEpisode(evidence: SessionEvidence): {
  facts: EpisodeFacts | null;
  state: Facts['episodeState'];
  reason: string;
} {
  const { episode } = evidence;
  if (episode.state === 'absent') return { facts: null, state: 'absent', reason: '' };
  if (episode.state === 'unreadable') return { facts: null, state: 'unreadable', reason: episode.reason };
  const facts = factsOf(episodeSchema, episode.value);
  if (facts === null) return { facts: null, state: 'unreadable', reason: 'it is not a map' };
  if (facts.session_id !== evidence.sessionId) {
    return { facts: null, state: 'unreadable', reason: 'it belongs to another session' };
  }
  return { facts, state: 'present', reason: '' };
}

/** Ids of what ran: whole numbers, negative ones included, since the simulator takes them as Python does. */
const IDS = ['task_id', 'init_state_id'] as const;
const COUNTS = ['target_step_index', 'num_action_chunks', 'num_steps'] as const;

/**
 * Values that are there and cannot be: a task of 1.5 or of 1e999, minus four steps. What nobody can have measured is no
 * unknown, and evidence that holds it is not believed in the rest either. What is no number stays unknown: Python writes
 * such. Pure.
 */
function impossibleValues({ session, log, episode }: SessionEvidence): readonly string[] {
  const body = episode.state === 'present' ? episode.value : null;
  const places: readonly (readonly [string, unknown])[] = [
    ['SESSIONS.md result', at(session, 'result')],
    ['LOG.md', log],
    ['episode.json', body],
    ['episode.json benchmark', at(body, 'benchmark')],
    ...[session, body].flatMap((whole) => {
      const status = at(at(whole === session ? at(session, 'result') : whole, 'metadata'), 'final_status');
      return [
        ['final_status', status],
        ['final_status.episode_summary', at(status, 'episode_summary')],
        ['final_status.libero', at(status, 'libero')],
      ] as const;
    }),
  ];
  return places.flatMap(([where, value]) => [
    ...IDS.filter((key) => isNoWhole(at(value, key))).map((key) => told(where, key, at(value, key))),
    ...COUNTS.filter((key) => isNoCount(at(value, key))).map((key) => told(where, key, at(value, key))),
  ]);
}

function at(value: unknown, key: string): unknown {
  if (typeof value !== 'object' || value === null) return null;
  return Object.getOwnPropertyDescriptor(value, key)?.value;
}

function isNoWhole(value: unknown): boolean {
  return typeof value === 'number' && !Number.isNaN(value) && !Number.isInteger(value);
}

function isNoCount(value: unknown): boolean {
  if (typeof value === 'bigint') return value < 0;
  return isNoWhole(value) || (typeof value === 'number' && value < 0);
}

function told(where: string, key: string, value: unknown): string {
  return `${key}: ${where} says ${String(value)}, which cannot be`;
}
