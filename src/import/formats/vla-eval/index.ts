import type { Imported, Importer, ImportInput, ImportSource } from '../../importer/importer.ts';
import {
  issueText,
  misread,
  readSourceJson,
  type SourceValue,
  startsWith,
} from '../../importer/read-source.ts';
import { type Results, results } from './layout.ts';
import { fromResults } from './read-results.ts';
import { readStore } from './read-store.ts';
import { placeOf, storeResults } from './store-results.ts';
import { looksLikeStore, SQLITE_HEAD } from './store-rules.ts';

/** The VLA evaluation harness: JSON of a benchmark, its shards or their aggregate, and the store these are made of. */
export const vlaEval: Importer = {
  format: 'vla-eval',
  title: 'vla-eval: JSON of a benchmark, its shards or their aggregate; its SQLite store',
  detect: ({ text }) =>
    looksLikeStore(text) ||
    (/^\s*\{/.test(text) &&
      /"benchmark"\s*:\s*"/.test(text) &&
      /"tasks"\s*:\s*\[/.test(text) &&
      (/"harness_version"\s*:/.test(text) || /"episode_id"\s*:/.test(text))),
  read,
};

async function read({ sources }: ImportInput): Promise<Imported> {
  const stores = sources.filter((source) => startsWith(source, SQLITE_HEAD));
  const documents = sources.filter((source) => !stores.includes(source));
  const files = documents.map((source): SourceValue<Results> => {
    const parsed = results.safeParse(readSourceJson(source));
    if (parsed.success) return { source, value: parsed.data };
    throw misread(source.name, issueText(parsed.error));
  });
  const [store, ...others] = stores;
  if (store === undefined) return fromResults(files);
  const [mixed] = [...others, ...documents];
  if (mixed !== undefined)
    throw misread(mixed.name, `${store.name} is a store of its own; import one by one`);
  return fromStore(store);
}

async function fromStore(store: ImportSource): Promise<Imported> {
  const { files, faults, notes } = storeResults(store, await readStore(store));
  const told = fromResults(files, placeOf);
  return {
    ...told,
    title: 'SQLite store of the VLA evaluation harness (vla-eval)',
    notes: [...told.notes, ...notes],
    faults: [...faults, ...told.faults],
  };
}
