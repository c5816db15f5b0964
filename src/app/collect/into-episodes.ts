import { shellWord } from '../../base/shell-word.ts';
import type { Unattributable } from './attribute.ts';
import type { FinishedSession } from './finished-session.ts';

/** A session that was a job of many episodes, which its target ran itself. */
export interface NativeJob {
  readonly sessionId: string;
  readonly target: string;
  /** Where its result files are, below the workspace. */
  readonly folder: string;
}

interface Episodes {
  /** First attempts, each an episode. */
  readonly episodes: readonly FinishedSession[];
  /** Further attempts for a verifier, by the id of the first one, in their order. */
  readonly replans: ReadonlyMap<string, readonly FinishedSession[]>;
  /** Further attempts whose first one is not here: what it gave is unknown. */
  readonly orphans: readonly Unattributable[];
  readonly nativeJobs: readonly NativeJob[];
}

/** A chain is as long as a verifier's patience; a circle of parents is no chain. */
const MAX_CHAIN = 100;

/**
 * Tells episodes from what is none: a session that tries again for a verifier belongs to the episode of the first attempt,
 * and a job of a target's own is no episode at all. Pure; keeps the order.
 */
export function intoEpisodes(sessions: readonly FinishedSession[]): Episodes {
  const jobs = sessions.filter(({ block }) => block?.targetNative === true);
  const single = sessions.filter(({ block }) => block?.targetNative !== true);
  const byId = new Map(single.map((session) => [session.sessionId, session]));
  const replans = new Map<string, FinishedSession[]>();
  const orphans: Unattributable[] = [];
  for (const session of single.filter(({ replanOf }) => replanOf !== null)) {
    const first = firstOf(session, byId);
    if (first === null) orphans.push({ session, reason: orphanReason(session) });
    else replans.set(first.sessionId, [...(replans.get(first.sessionId) ?? []), session]);
  }
  return {
    episodes: single.filter(({ replanOf }) => replanOf === null),
    replans,
    orphans,
    nativeJobs: jobs.map(({ sessionId, target, block }) => ({
      sessionId,
      target,
      folder: `artifacts/benchmarks/${shellWord(block?.runId ?? sessionId)}`,
    })),
  };
}

function firstOf(
  session: FinishedSession,
  byId: ReadonlyMap<string, FinishedSession>,
): FinishedSession | null {
  let at = session;
  for (let step = 0; step < MAX_CHAIN && at.replanOf !== null; step += 1) {
    const parent = byId.get(at.replanOf);
    if (parent === undefined) return null;
    at = parent;
  }
  return at.replanOf === null ? at : null;
}

function orphanReason({ replanOf }: FinishedSession): string {
  return `it tries ${replanOf ?? 'another session'} again for a verifier, and that first attempt, which alone is an outcome, is not among the sessions`;
}
