import { randomBytes } from 'node:crypto';
import { ZodError } from 'zod';
import { renderDocument } from '../workspace/fenced-block.ts';
import type { FreeMap } from './loose-values.ts';
import { sleep, timeStamp } from './now.ts';
import { RuntimeFailure, WatchdogCrash } from './python-error.ts';
import { CachedDocument, writeAtomically } from './runtime-document.ts';
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
  sessionForWriting,
} from './session-schema.ts';
import { NdArray } from './wire.ts';
import { writeRuntimeYaml } from './yaml-writer.ts';

interface RegistryOptions {
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
  /** Told after each write, with the file's new text. */
  readonly onWrite: (text: string) => void;
}

/**
 * State transitions in SESSIONS.md: each re-reads the whole file and rewrites it under the lock. Documents are never
 * changed in place, so that entries can be remembered with the text they were written as: the cost of a step follows what
 * changed, while everything that can be seen from outside stays as if all was parsed and written anew.
 */
export class SessionRegistry {
  readonly #options: RegistryOptions;
  readonly #file: CachedDocument<SessionsDocument>;
  readonly #texts = new WeakMap<Session, string>();

  constructor(options: RegistryOptions) {
    this.#options = options;
    this.#file = new CachedDocument(options.path, options.shownPath, (block) => this.#parse(block));
  }

  /** The document, read without the lock. */
  load(): SessionsDocument {
    return this.#file.read();
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
      const owner = { claimed_by: workerId, claim_token: randomBytes(16).toString('hex') };
      this.#replace(document, session, { ...session, status: 'claimed', ...owner });
      return true;
    });
  }

  move(sessionId: string, status: SessionStatus, result?: SessionResult): Promise<void> {
    return this.#locked(() => {
      const document = this.load();
      const session = find(document, sessionId);
      if (!mayMove(session.status, status)) {
        const text = `invalid session transition: ${session.status} -> ${status}`;
        throw new WatchdogCrash('InvalidStatusTransition', text);
      }
      const claim = this.#options.dialect === 'august' && status !== 'claimed' ? NO_CLAIM : {};
      this.#replace(document, session, { ...session, status, ...claim, result: result ?? session.result });
    });
  }

  /** Back to pending from any state, with the failure of this attempt left in the result. */
  retry(sessionId: string, failure: { code: string; message: string }): Promise<void> {
    return this.#locked(() => {
      const document = this.load();
      const session = find(document, sessionId);
      const retry = { ...session.retry, attempted: session.retry.attempted + 1 };
      const result = this.failureResult('pending', failure);
      this.#replace(document, session, { ...session, status: 'pending', ...NO_CLAIM, retry, result });
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
    const result = { ...session.result, metadata: { ...session.result.metadata, preflight: report } };
    if (this.#options.preflightWindowMs > 0) await sleep(this.#options.preflightWindowMs);
    await this.#locked(() => this.#save(document, session, { ...session, result }));
  }

  async #locked<T>(body: () => T): Promise<T> {
    await this.#options.gate();
    return this.#options.lock.hold(async () => {
      await this.#options.gate();
      return body();
    });
  }

  #replace(document: SessionsDocument, old: Session, changed: Session): void {
    this.#save(document, old, { ...changed, updated_at: timeStamp('Z') });
    this.#options.onTransition(changed.session_id, changed.status);
  }

  /** Writes the document with one entry replaced. */
  #save(document: SessionsDocument, old: Session, changed: Session): void {
    refuseArrays(changed.result.metadata);
    const sessions = document.sessions.map((each) => (each === old ? changed : each));
    const list =
      sessions.length === 0
        ? 'sessions: []\n'
        : `sessions:\n${sessions.map((each) => this.#textOf(each)).join('')}`;
    const next = { version: document.version, sessions };
    const text = renderDocument('Runtime Sessions', `version: ${document.version}\n${list}`);
    writeAtomically(this.#options.path, text, this.#options.fsync);
    this.#file.remember(text, next);
    this.#options.onWrite(text);
  }

  #textOf(session: Session): string {
    const known = this.#texts.get(session);
    if (known !== undefined) return known;
    const text = writeRuntimeYaml([sessionForWriting(session)]);
    this.#texts.set(session, text);
    return text;
  }

  #parse(block: FreeMap): SessionsDocument {
    try {
      return parseSessions(block, this.#options.dialect);
    } catch (error) {
      if (error instanceof ZodError) throw documentCrash('SessionsDocument', error);
      throw error;
    }
  }
}

const NO_CLAIM = { claimed_by: null, claim_token: null };

function find(document: SessionsDocument, sessionId: string): Session {
  const session = document.sessions.find((each) => each.session_id === sessionId);
  if (session === undefined) throw new WatchdogCrash('KeyError', `'session not found: ${sessionId}'`);
  return session;
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
