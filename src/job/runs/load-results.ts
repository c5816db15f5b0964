import { lstatSync, mkdtempSync } from 'node:fs';
import * as path from 'node:path';
import { BUNDLE_FILES } from '../../bundle/layout.ts';
import type { LoadedBundle } from '../../bundle/load-bundle.ts';
import { isArchive } from '../../bundle/unpack.ts';
import { looksLikeClaim } from '../../verdict/published-claim.ts';
import type { ImportRequest } from '../imports/import-request.ts';
import { readResults } from '../imports/read-results.ts';
import { loadBundles } from './find-bundles.ts';

/**
 * Bundles that paths name, verified; whatever else is there is taken for results of another tool and imported. What is
 * not there at all is a mistyped bundle.
 * @throws RbError as `loadBundles` and `readResults`.
 */
export async function loadResults(
  paths: readonly string[],
  scratch: string,
  request: Omit<ImportRequest, 'paths' | 'into'>,
): Promise<LoadedBundle[]> {
  const bundles = paths.filter((given) => isBundle(given));
  const results = paths.filter((given) => !bundles.includes(given));
  const loaded = bundles.length === 0 ? [] : await loadBundles(bundles, scratch, { signal: request.signal });
  if (results.length === 0) return loaded;
  const into = mkdtempSync(path.join(scratch, 'imported-'));
  return [...loaded, ...(await readResults({ ...request, paths: results, into }))];
}

function isBundle(given: string): boolean {
  const found = lstatSync(path.resolve(given), { throwIfNoEntry: false });
  if (found === undefined) return !looksLikeClaim(given);
  if (!found.isDirectory()) return isArchive(given);
  const has = (name: string): boolean =>
    lstatSync(path.join(given, name), { throwIfNoEntry: false }) !== undefined;
  if ([BUNDLE_FILES.run, BUNDLE_FILES.journal, BUNDLE_FILES.plan].some(has)) return true;
  // Another tool has a manifest.json, too, beside its attempts.
  return has(BUNDLE_FILES.manifest) && !has('attempts.jsonl');
}
