import type { EpisodeRecord } from '../../model/episode-record.ts';
import type { ReportInput } from './report-input.ts';

/** Ids that are the same in a path and in an address. */
const PLAIN_ID = /^[A-Za-z0-9_][A-Za-z0-9._~-]*$/;

/**
 * Where a session's files are, relative to the report: the runtime's own in a report of the workspace, the archived
 * evidence in one that lies in its bundle. Null where a reader could not follow it. Pure.
 */
export function artifactLink(
  { audience, bundleDir }: Pick<ReportInput, 'audience' | 'bundleDir'>,
  { artifactDir, sessionId }: Pick<EpisodeRecord, 'artifactDir' | 'sessionId'>,
): string | null {
  if (artifactDir === null || sessionId === null || !PLAIN_ID.test(sessionId)) return null;
  if (audience === 'workspace') return artifactDir;
  return bundleDir === null ? null : `raw/${sessionId}/`;
}
