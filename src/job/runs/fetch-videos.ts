import * as path from 'node:path';
import { fetchArtifact } from '../../github/artifact-download.ts';
import { bestEffort } from '../best-effort.ts';
import { type FetchRequest, sourceOf, VIDEOS_NAME } from './fetch-bundles.ts';

/** No run uploads more of one suite than some hundred megabytes, and a page shows a megabyte. */
const MAX_ARTIFACTS = 20;

/**
 * Folders with what was recorded of the episodes of a workflow run. What is in them counts only where a verified bundle
 * lists it. What cannot be fetched costs pictures: a warning.
 */
export async function fetchVideos(request: FetchRequest): Promise<readonly string[]> {
  const { prefix, scratch, log } = request;
  const folders: string[] = [];
  await bestEffort(log, async () => {
    const source = await sourceOf(request);
    const found = (await source.list()).filter(
      ({ name }) => name.startsWith(prefix) && VIDEOS_NAME.test(name),
    );
    for (const [index, artifact] of found.slice(0, MAX_ARTIFACTS).entries()) {
      const into = path.join(scratch, `videos-${index}`);
      await fetchArtifact(source, artifact, { temp: scratch, into });
      folders.push(into);
    }
  });
  return folders;
}
