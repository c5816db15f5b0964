import * as z from 'zod';
import { roughDuration } from '../base/rough-duration.ts';
import { type Problem, problemOf } from '../errors/rb-error.ts';

/**
 * What a run may take at most, its earlier attempts included. A cap that was not given is absent, and so is `caps` of a
 * plan without any. The caps of a plan are for the whole plan; see `shardCaps` for a part of it.
 */
export const capsSchema = z.strictObject({
  /** Sessions that were queued for cells, retries included. */
  maxSessions: z.int().positive().optional(),
  /** Wall-clock time, without that of other people's sessions and without waiting for the lane. */
  maxWallTimeS: z.number().positive().optional(),
  /** Artifacts of our sessions, and their evidence in the bundle. */
  maxArtifactBytes: z.int().positive().optional(),
});
export type Caps = z.infer<typeof capsSchema>;

/** RB335 when the cells alone are more than the sessions that the plan may use; retries come on top. */
export function sessionCapProblems(suite: string, cells: number, caps: Caps | undefined): Problem[] {
  const limit = caps?.maxSessions;
  if (limit === undefined || cells <= limit) return [];
  return [
    problemOf('RB335', {
      where: 'input caps',
      message: `the plan of ${suite} has more episodes than the sessions it may use.`,
      value: `${cells} episodes, sessions=${limit}`,
      fix: `Plan fewer episodes, or allow at least sessions=${cells}; sessions that are tried again count, too.`,
    }),
  ];
}

/** `120 sessions, 45 min, 500 MB of artifacts`; `none` without any. */
export function capsText(caps: Caps | undefined): string {
  const parts = [
    ...(caps?.maxSessions === undefined ? [] : [`${caps.maxSessions} sessions`]),
    ...(caps?.maxWallTimeS === undefined ? [] : [roughDuration(caps.maxWallTimeS)]),
    ...(caps?.maxArtifactBytes === undefined ? [] : [`${bytesText(caps.maxArtifactBytes)} of artifacts`]),
  ];
  return parts.length === 0 ? 'none' : parts.join(', ');
}

/** `912 bytes`, `1.5 MB`; decimal units. */
export function bytesText(bytes: number): string {
  if (bytes < 1000) return `${bytes} byte${bytes === 1 ? '' : 's'}`;
  const units = ['kB', 'MB', 'GB', 'TB'];
  const power = Math.min(units.length, Math.max(1, Math.floor(Math.log10(bytes) / 3)));
  return `${Number((bytes / 1000 ** power).toFixed(1))} ${units[power - 1]}`;
}
