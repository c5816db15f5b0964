import { canonicalDigest } from '../../base/canonical-json.ts';
import { EXIT, errorOf, failure, type RbError } from '../../errors/rb-error.ts';
import type { RejectedEntry, RunEntry, Scan } from '../../job/runs/run-entry.ts';

const INVENTORY_SCHEMA_ID = 'rollout-bench/inventory/1';

interface PageRequest {
  /** Runs on this page at most. */
  readonly limit: number;
  /** `nextPageToken` of the page before; null is the first page. */
  readonly pageToken: string | null;
}

/** One page of an inventory. Runs are whole: nothing is cut inside one. */
export interface InventoryPage {
  readonly schema: typeof INVENTORY_SCHEMA_ID;
  readonly rootId: string;
  readonly scanned: number;
  /** All runs, of every page. */
  readonly matched: number;
  readonly offset: number;
  readonly runs: readonly RunEntry[];
  /** Digest of the whole inventory: equal as long as nothing that it shows has changed. */
  readonly snapshot: string;
  /** False when something could not be looked into, so that `matched` may be too small. */
  readonly complete: boolean;
  readonly nextPageToken: string | null;
  readonly omittedAfter: number;
  readonly rejected: readonly RejectedEntry[];
}

/**
 * Cuts a page out of a scan. A token carries the snapshot of the inventory that it continues, so that pages never come
 * from two different states. Pure.
 * @throws RbError RB521 for a token that is none, RB522 when the inventory has changed since.
 */
export function pageOf(scan: Scan, { limit, pageToken }: PageRequest): InventoryPage {
  const { rootId, scanned, runs, rejected } = scan;
  const snapshot = snapshotOf(scan);
  const offset = pageToken === null ? 0 : offsetOf(pageToken, snapshot);
  if (offset > runs.length) throw wrongToken();
  const shown = runs.slice(offset, offset + limit);
  const next = offset + shown.length;
  return {
    schema: INVENTORY_SCHEMA_ID,
    rootId,
    scanned,
    matched: runs.length,
    offset,
    runs: shown,
    snapshot,
    complete: rejected.length === 0,
    nextPageToken: next < runs.length ? pageTokenOf(next, snapshot) : null,
    omittedAfter: runs.length - next,
    rejected,
  };
}

/** What changes when a listed file does: a sealed attempt counts by its manifest, every other by sizes and times. */
export function snapshotOf({ rootId, runs, rejected }: Scan): string {
  return canonicalDigest({
    rootId,
    rejected,
    runs: runs.map(({ runId, attempts, qualification, qualificationSha256, controls }) => ({
      runId,
      ...(qualification === undefined
        ? {}
        : {
            qualification,
            qualificationSha256: qualificationSha256 ?? null,
            controls: (controls ?? []).map(({ name, manifestSha256 }) => ({ name, manifestSha256 })),
          }),
      attempts: attempts.map(({ attempt, state, manifestSha256, files, quarantine }) =>
        state === 'sealed'
          ? {
              attempt,
              state,
              manifestSha256,
              quarantine,
              // A copy or checkout changes times, never sizes.
              files: files.map(({ path, bytes }) => ({ path, bytes })),
            }
          : { attempt, state, quarantine, files },
      ),
    })),
  });
}

function pageTokenOf(offset: number, snapshot: string): string {
  return Buffer.from(`${offset} ${snapshot}`).toString('base64url');
}

function offsetOf(token: string, snapshot: string): number {
  const match = /^(\d{1,9}) ([0-9a-f]{64})$/.exec(Buffer.from(token, 'base64url').toString('latin1'));
  if (match === null || pageTokenOf(Number(match[1]), match[2] ?? '') !== token) throw wrongToken();
  if (match[2] !== snapshot) throw changed();
  return Number(match[1]);
}

function wrongToken(): RbError {
  return errorOf('RB521', {
    where: 'option --page-token',
    message: 'this is no token of a page.',
  });
}

function changed(): RbError {
  return failure(EXIT.noVerdict, {
    code: 'RB522',
    where: 'option --page-token',
    message: 'the inventory has changed since that page.',
    fix: 'Start again with the first page.',
  });
}
