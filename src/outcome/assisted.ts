import type { EpisodeRecord } from '../model/episode-record.ts';
import type { Classified } from './classified.ts';

/** What is asked of a judged session of the cell. */
interface Tried {
  readonly session: {
    readonly sessionId: string;
    readonly verifier: string | null;
    readonly replanOf: string | null;
  };
  readonly found: Pick<Classified, 'verifierSays'>;
}

/** What the deciding session's chain came to with a verifier's help; nothing where no verifier had a word. Pure. */
export function assistedOf(tried: readonly Tried[], decided: Tried | null): Pick<EpisodeRecord, 'assisted'> {
  if (decided === null) return {};
  const chain = tried.filter(({ session }) => session.replanOf === decided.session.sessionId);
  if (decided.session.verifier === null && chain.length === 0) return {};
  const last = chain.at(-1) ?? decided;
  return { assisted: { success: last.found.verifierSays, replans: chain.length } };
}
