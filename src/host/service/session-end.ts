import { timeStamp } from '../now.ts';
import { makeResult, type Session, type SessionResult, type SessionStatus } from '../session-schema.ts';
import { NdArray } from '../wire.ts';

/** Why a session ended without a result. `code` becomes `result.error_code`. */
export interface Failure {
  readonly code: string;
  readonly message: string;
}

/** Codes that only this host gives; everything else has the runtime's own (docs/host.md). */
export const HOST_CODES = {
  /** The host that ran it ended before it did. */
  interrupted: 'HOST_INTERRUPTED',
  /** Cancelled because the host was told twice to end. */
  cancelled: 'HOST_CANCELLED',
  /** Another watchdog took an entry meanwhile, perhaps on the same simulator. */
  notAlone: 'HOST_NOT_ALONE',
  /** It needs a part of the runtime that this host does not have. */
  unsupported: 'HOST_UNSUPPORTED',
} as const;
/** What no retry of the entry may hide. */
const FINAL: ReadonlySet<string> = new Set(Object.values(HOST_CODES));

/** Longest error text in a document: a server may send a whole traceback, or anything. */
const MAX_MESSAGE = 20_000;
/** Longest list of an episode's evidence as JSON; 280 steps in chunks of ten have 19 kB. */
const MAX_EVIDENCE = 4 * 1024 * 1024;

const NO_CLAIM = { claimed_by: null, claim_token: null };

/** The entry in its next state, stamped with the present moment. */
export function moved(session: Session, status: SessionStatus, result: SessionResult): Session {
  return { ...session, ...NO_CLAIM, status, updated_at: timeStamp('Z'), result };
}

/** The entry after a failure without a result: rejected, given back for another try, or failed, as the runtime decides. */
export function failed(session: Session, failure: Failure, wasRunning: boolean): Session {
  if (failure.code === 'SCHEMA_VALIDATION' || failure.code === HOST_CODES.unsupported) {
    const status = wasRunning ? 'failed' : 'rejected';
    return moved(session, status, failureResult(status, failure));
  }
  const { retry } = session;
  if (FINAL.has(failure.code) || retry.attempted >= retry.max_retries)
    return moved(session, 'failed', failureResult('failed', failure));
  const again = { ...session, retry: { ...retry, attempted: retry.attempted + 1 } };
  return moved(again, 'pending', failureResult('pending', failure));
}

export function failureResult(status: string, { code, message }: Failure): SessionResult {
  const error_message = message.slice(0, MAX_MESSAGE);
  return makeResult({ status, success: false, error_code: code, error_message }, 'august');
}

/** What keeps a result from being written down; null when nothing does. */
export function unwritable(result: SessionResult): Failure | null {
  if (holdsArray(result.metadata)) {
    const message = 'the target put an array into its status, which no document can hold';
    return { code: 'TARGET_PROTOCOL', message };
  }
  const size = JSON.stringify(result.metadata, (_key, value: unknown) =>
    typeof value === 'bigint' ? String(value) : value,
  ).length;
  if (size <= MAX_EVIDENCE) return null;
  return { code: 'TARGET_PROTOCOL', message: `the target's status is too long to keep: ${size} characters` };
}

function holdsArray(value: unknown): boolean {
  if (value instanceof NdArray || value instanceof Uint8Array) return true;
  return typeof value === 'object' && value !== null && Object.values(value).some(holdsArray);
}

/** A status as it may be kept: the pictures of the last observation are no evidence, and the runtime chokes on them. */
export function withoutPictures<T extends { readonly last_status: Readonly<Record<string, unknown>> }>(
  snapshot: T,
): T {
  const { obs: _pictures, ...rest } = snapshot.last_status;
  return { ...snapshot, last_status: rest };
}
