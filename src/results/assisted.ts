import type { EpisodeRecord } from '../model/episode-record.ts';
import type { ArmResult } from '../model/results.ts';

/** What a verifier made of the episodes of an arm; nothing where it had no word in any. Pure. */
export function assistedOf(records: readonly EpisodeRecord[]): Pick<ArmResult, 'assisted'> {
  const all = records.flatMap(({ assisted }) => assisted ?? []);
  if (all.length === 0) return {};
  return {
    assisted: {
      episodes: all.length,
      known: all.filter(({ success }) => success !== null).length,
      successes: all.filter(({ success }) => success === true).length,
      replanned: all.filter(({ replans }) => replans > 0).length,
    },
  };
}
