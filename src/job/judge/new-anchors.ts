import type { NewAnchor } from '../../history/publication.ts';
import type { AssessedSuite } from './assess-suite.ts';
import { acceptedBy, baselineOf, type HistoryPlace, isPassedRelease } from './history-record.ts';
import type { EventFacts } from './ref-standing.ts';

/** A release that passed is the anchor of the branch it was made from; else the first accepted run of a protocol is. Pure. */
export function anchorsOf(
  { suites, facts }: { readonly suites: readonly AssessedSuite[]; readonly facts: EventFacts },
  place: HistoryPlace,
): NewAnchor[] {
  return suites.flatMap((suite): NewAnchor[] => {
    const { measurement } = suite;
    const acceptance = { at: place.now, reason: null };
    if (facts.baseBranch !== null && isPassedRelease(suite)) {
      const at = { ...place, branch: facts.baseBranch };
      return [{ baseline: baselineOf(measurement, at, { ...acceptance, by: 'release' }), chosen: true }];
    }
    const by = acceptedBy(suite, facts.onBranch ? facts.event : null);
    if (by === null) return [];
    return [{ baseline: baselineOf(measurement, place, { ...acceptance, by }), chosen: false }];
  });
}
