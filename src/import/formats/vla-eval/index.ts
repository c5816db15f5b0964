import type { Imported, Importer, ImportInput } from '../../importer/importer.ts';
import { issueText, misread, readSourceJson, type SourceValue } from '../../importer/read-source.ts';
import { type Results, results } from './layout.ts';
import { fromResults } from './read-results.ts';

/** JSON of the VLA evaluation harness: one benchmark, its shards, or the aggregate that `vla-eval merge` writes. */
export const vlaEval: Importer = {
  format: 'vla-eval',
  title: 'vla-eval: JSON of a benchmark, its shards or their aggregate',
  detect: ({ text }) =>
    /^\s*\{/.test(text) &&
    /"benchmark"\s*:\s*"/.test(text) &&
    /"tasks"\s*:\s*\[/.test(text) &&
    (/"harness_version"\s*:/.test(text) || /"episode_id"\s*:/.test(text)),
  read,
};

function read({ sources }: ImportInput): Imported {
  const files = sources.map((source): SourceValue<Results> => {
    const parsed = results.safeParse(readSourceJson(source));
    if (parsed.success) return { source, value: parsed.data };
    throw misread(source.name, issueText(parsed.error));
  });
  return fromResults(files);
}
