import { type EpisodeRecord, episodeRecordSchema } from '../model/episode-record.ts';
import { type Results, resultsSchema } from '../model/results.ts';
import { redactValue, textRedactor } from './redact.ts';
import { redactedFacts } from './redact-bundle.ts';

interface Measured {
  readonly results: Results;
  readonly records: readonly EpisodeRecord[];
}

/**
 * Results and records as everybody may read them: error messages, the policy's own metadata and whatever a user declared
 * may hold paths, addresses and names of the host. Numbers, ids and outcomes stay.
 */
export function publishedCopy(measured: Measured): Measured {
  const redact = textRedactor([]);
  const run = redactedFacts(measured.results.run, redact);
  // Validated again: what is redacted must still be a document of its schema.
  const results = resultsSchema.parse({ ...toRecord(redactValue(measured.results, redact)), run });
  const records = measured.records.map((record) => episodeRecordSchema.parse(redactValue(record, redact)));
  return { results, records };
}

function toRecord(value: unknown): object {
  return typeof value === 'object' && value !== null ? value : {};
}
