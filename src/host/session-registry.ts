import { randomBytes } from 'node:crypto';
import { ZodError } from 'zod';
import { sleep, timeStamp } from './now.ts';
import { RuntimeFailure, WatchdogCrash } from './python-error.ts';
import { readBlock, writeDocument } from './runtime-document.ts';
import type { SessionLock } from './session-lock.ts';
import {
  type Dialect,
  makeResult,
  mayMove,
  parseSessions,
  type Session,
  type SessionResult,
  type SessionStatus,
  type SessionsDocument,
  sessionsForWriting,
} from './session-schema.ts';
import { NdArray } from './wire.ts';

export interface RegistryOptions {
  readonly path: string;
  readonly shownPath: string;
  readonly dialect: Dialect;
  readonly lock: SessionLock;
  /** Call fsync before each rename, as the real one does. */
  readonly fsync: boolean;
  /** Extra time between the unlocked read and the locked write of the preflight report. */
  readonly preflightWindowMs: number;
  /** Awaited before each step that reads or writes; throws when the watchdog was killed. */
  readonly gate: () => Promise<void>;
  /** Told after each write that moved a session. */
  readonly onTransition: (sessionId: string, status: SessionStatus) => void;
}

/** State transitions in SESSIONS.md: each re-reads the whole file and rewrites it under the lock. */
export class SessionRegistry {
  readonly #options: RegistryOptions;

  constructor(options: RegistryOptions) {
    this.#options = options;
  }

  /** The document, read without the lock. */
  load(): SessionsDocument {
    const { path, shownPath, dialect } = this.#options;
    const block = readBlock(path, shownPath);
    try {
      return parseSessions(block, dialect);
    } catch (error) {
      if (error instanceof ZodError) throw documentCrash('SessionsDocument', error);
      throw error;
    }
  }

  get(sessionId: string): Session {
    return find(this.load(), sessionId);
  }

  /** Claims a pending session; false when the first entry of that id is not pending (so a duplicate id never runs). */
  claim(sessionId: string, workerId: string): Promise<boolean> {
    return this.#locked(() => {
      const document = this.load();
      const session = document.sessions.find((each) => each.session_id === sessionId);
      if (session === undefined || session.status !== 'pending') return false;
      session.status = 'claimed';
      session.claimed_by = workerId;
      session.claim_token = randomBytes(16).toString('hex');
      session.updated_at = timeStamp('Z');
      this.#save(document);
      this.#options.onTransition(sessionId, 'claimed');
      return true;
    });
  }

  move(sessionId: string, status: SessionStatus, result?: SessionResult): Promise<void> {
    return this.#locked(() => {
      const document = this.load();
      const session = find(document, sessionId);
      if (!mayMove(session.status, status)) {
        throw new WatchdogCrash(
          'InvalidStatusTransition',
          `invalid session transition: ${session.status} -> ${status}`,
        );
      }
      session.status = status;
      if (this.#options.dialect === 'august' && status !== 'claimed') dropClaim(session);
      session.updated_at = timeStamp('Z');
      if (result !== undefined) session.result = result;
      this.#save(document);
      this.#options.onTransition(sessionId, status);
    });
  }

  /** Back to pending from any state, with the failure of this attempt left in the result. */
  retry(sessionId: string, failure: { code: string; message: string }): Promise<void> {
    return this.#locked(() => {
      const document = this.load();
      const session = find(document, sessionId);
      session.status = 'pending';
      dropClaim(session);
      session.retry.attempted += 1;
      session.updated_at = timeStamp('Z');
      session.result = this.failureResult('pending', failure);
      this.#save(document);
      this.#options.onTransition(sessionId, 'pending');
    });
  }

  failureResult(status: string, failure: { code: string; message: string }): SessionResult {
    const fields = { status, success: false, error_code: failure.code, error_message: failure.message };
    return makeResult(fields, this.#options.dialect);
  }

  /**
   * Stores the accepted preflight report. Reads before it takes the lock: what another process wrote in between is lost.
   * That is the real watchdog's defect, and clients must be tested against it (runtime-protocol 4.2).
   */
  async writePreflightReport(sessionId: string, report: Readonly<Record<string, unknown>>): Promise<void> {
    await this.#options.gate();
    const document = this.load();
    const session = document.sessions.find((each) => each.session_id === sessionId);
    if (session === undefined) return;
    session.result.metadata = { ...session.result.metadata, preflight: report };
    if (this.#options.preflightWindowMs > 0) await sleep(this.#options.preflightWindowMs);
    await this.#locked(() => this.#save(document));
  }

  async #locked<T>(body: () => T): Promise<T> {
    await this.#options.gate();
    return this.#options.lock.hold(async () => {
      await this.#options.gate();
      return body();
    });
  }

  #save(document: SessionsDocument): void {
    for (const session of document.sessions) refuseArrays(session.result.metadata);
    const { path, fsync } = this.#options;
    writeDocument(path, 'Runtime Sessions', sessionsForWriting(document), fsync);
  }
}

function find(document: SessionsDocument, sessionId: string): Session {
  const session = document.sessions.find((each) => each.session_id === sessionId);
  if (session === undefined) throw new WatchdogCrash('KeyError', `'session not found: ${sessionId}'`);
  return session;
}

function dropClaim(session: Session): void {
  session.claimed_by = null;
  session.claim_token = null;
}

/** Camera pictures in the metadata of a late timeout cannot be written: the defect that hides most timeouts. */
function refuseArrays(value: unknown): void {
  if (value instanceof NdArray) {
    throw new RuntimeFailure('RUNTIME_ERROR', "Unable to serialize unknown type: <class 'numpy.ndarray'>");
  }
  if (typeof value !== 'object' || value === null) return;
  for (const item of Object.values(value)) refuseArrays(item);
}

/** What the runtime's process dies of when a document does not fit its schema. */
export function documentCrash(model: string, error: ZodError): WatchdogCrash {
  const lines = error.issues.map((issue) => `${issue.path.join('.')}\n  ${issue.message}`);
  const count = error.issues.length;
  const name = model === 'SessionsDocument' ? 'ValidationError' : 'SchemaValidationError';
  return new WatchdogCrash(
    name,
    `${count} validation error${count === 1 ? '' : 's'} for ${model}\n${lines.join('\n')}`,
  );
}
