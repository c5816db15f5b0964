import type { EpisodeRecord, Outcome } from '../model/episode-record.ts';
import type { ErrorCodeCount } from '../model/results.ts';

const EXAMPLES = 3;
const QUIET: ReadonlySet<Outcome> = new Set(['success', 'not_run', 'after_stop']);

interface Tally {
  episodes: number;
  sessions: number;
  readonly messages: Map<string, number>;
  readonly examples: string[];
}

/** The code of an outcome: the runtime's, else the outcome's own name. An ordinary failure has none. */
export function codeOf(found: {
  readonly outcome: Outcome;
  readonly errorCode: string | null;
}): string | null {
  if (QUIET.has(found.outcome)) return null;
  if (found.errorCode !== null) return found.errorCode;
  return found.outcome === 'failure' ? null : found.outcome.toUpperCase();
}

/** Codes by falling number of sessions, then by name. Records in planned order give the examples. */
export function errorCodesOf(records: readonly EpisodeRecord[]): ErrorCodeCount[] {
  const tallies = new Map<string, Tally>();
  const tallyFor = (code: string): Tally => {
    const tally = tallies.get(code) ?? { episodes: 0, sessions: 0, messages: new Map(), examples: [] };
    tallies.set(code, tally);
    return tally;
  };
  for (const record of records) {
    const final = codeOf(record);
    if (final !== null) tallyFor(final).episodes += 1;
    for (const attempt of record.attempts) {
      const code = codeOf(attempt);
      if (code === null) continue;
      const tally = tallyFor(code);
      tally.sessions += 1;
      if (tally.examples.length < EXAMPLES) tally.examples.push(attempt.sessionId);
      const message = attempt.errorMessage;
      if (message !== null) tally.messages.set(message, (tally.messages.get(message) ?? 0) + 1);
    }
  }
  return [...tallies]
    .map(([code, { episodes, sessions, messages, examples }]) => ({
      code,
      episodes,
      sessions,
      message: mostFrequent(messages),
      examples,
    }))
    .sort((left, right) => right.sessions - left.sessions || (left.code < right.code ? -1 : 1));
}

function mostFrequent(messages: ReadonlyMap<string, number>): string | null {
  const ranked = [...messages].sort((left, right) => right[1] - left[1] || (left[0] < right[0] ? -1 : 1));
  return ranked[0]?.[0] ?? null;
}
