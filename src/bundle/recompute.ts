import { buildRecords, judgeSession, sessionsOf } from '../outcome/build-records.ts';
import type { EpisodeRecord } from '../outcome/episode-record.ts';
import { proofOf } from '../outcome/policy-proof.ts';
import { readArchivedEvidenceNow, readRecordingNow } from '../outcome/read-archive.ts';
import type { Arm } from '../plan/plan.ts';
import { aggregate } from '../results/aggregate.ts';
import type { Results } from '../results/results.ts';
import type { RunFacts } from '../results/run-facts.ts';
import { stopIn } from '../results/stop-facts.ts';
import { withStop } from '../verdict/after-stop.ts';
import type { BundleDocuments } from './documents.ts';

export interface Recomputed {
  readonly records: readonly EpisodeRecord[];
  readonly results: Results;
}

/** What the arm's policy was called before the run; null when that is not known. */
function metadataPin({ pins }: RunFacts, arm: Arm | null): string | null {
  return pins?.find(({ name }) => name === `${arm} policy metadata`)?.value ?? null;
}

/**
 * Records and results from raw/, plan.json, run.json and journal.jsonl alone: the computation that made a bundle's
 * results.json, and the one that checks it. One session's evidence is in memory at a time.
 */
export function recompute(bundleDir: string, { plan, run, journal }: BundleDocuments): Recomputed {
  // The plan of an unplanned bundle was made from its own evidence.
  const compared = run.evidenceClass === 'planned' ? plan : null;
  const judged = sessionsOf(journal.records).map((session) => {
    const evidence =
      session.closed === 'collected'
        ? readArchivedEvidenceNow(bundleDir, session.sessionId, session.omitted, true)
        : null;
    const judged = judgeSession(compared, session, evidence);
    if (run.recording === undefined) return judged;
    const recording = readRecordingNow(bundleDir, session.sessionId);
    const arm = plan.cells[session.position]?.arm ?? null;
    return { ...judged, proof: proofOf(judged.found, recording, metadataPin(run, arm)) };
  });
  const built = buildRecords(plan, judged, run.positions);
  const stop = stopIn(journal.records);
  const records = stop === null ? built : withStop(plan, built, stop.prefix);
  return { records, results: aggregate({ plan, records, run, journal: journal.records }) };
}
