import { randomBytes } from 'node:crypto';
import type { Claim } from '../../lane/watchdog-record.ts';
import type { ResultWriter } from '../result-writer.ts';
import type { Session, SessionResult } from '../session-schema.ts';
import { type Admission, admit } from './admission.ts';
import type { ClaimBook } from './claim-book.ts';
import type { ServiceEvent } from './events.ts';
import { foreignMove, type Standings, standingsOf } from './foreign-moves.ts';
import type { QueueEntry } from './queue-entries.ts';
import type { EntryChange, QueueFile } from './queue-file.ts';
import { recovered } from './recovery.ts';
import type { Registries } from './registries.ts';
import { failureResult, HOST_CODES, moved } from './session-end.ts';
import type { Simulators } from './simulators.ts';

export interface HandsOptions {
  /** Absolute. */
  readonly workspace: string;
  /** As it stands in `claimed_by`. */
  readonly claimedBy: string;
  readonly queue: QueueFile;
  readonly registries: Registries;
  readonly writer: ResultWriter;
  readonly simulators: Simulators;
  readonly book: ClaimBook;
  /** Told when another watchdog moved an entry. */
  readonly onMove: (reason: string) => void;
  readonly report: (event: ServiceEvent) => void;
}

/** A session that was taken out of the pending ones. */
interface Taken {
  readonly admission: Admission;
  readonly claim: Claim;
  readonly endpoint: string | null;
}

/** All that the service writes into the workspace, and what it sees there of others. */
export class Hands {
  readonly book: ClaimBook;
  readonly #options: HandsOptions;
  /** States in which our own entries may be. */
  readonly #expected = new Map<string, readonly string[]>();
  readonly #told = new Set<string>();
  #standings: Standings | null = null;
  #isAlone = true;

  constructor(options: HandsOptions) {
    this.#options = options;
    this.book = options.book;
  }

  close(): void {
    this.#options.queue.close();
  }

  /** The entries now; another watchdog is noticed. @throws WatchdogCrash when they cannot be read. */
  look(): readonly QueueEntry[] {
    const entries = this.#options.queue.read();
    this.#compare(entries);
    return entries;
  }

  /** Ends what an earlier host left at work, then tells what is there. */
  async recover(): Promise<readonly QueueEntry[]> {
    const { queue, workspace, book, report } = this.#options;
    const { claims } = book;
    const ended = await queue.edit((entries) => {
      const sessions = recovered(workspace, claims, entries);
      const change: EntryChange = new Map([...sessions].map(([index, session]) => [index, { session }]));
      return { change, answer: [...sessions.values()] };
    });
    for (const { sessionId } of claims) book.remove(sessionId);
    for (const session of ended)
      report({ event: 'recovered', sessionId: session.session_id, status: session.status });
    return this.look();
  }

  /**
   * Takes a pending session, as the entry stands under the lock, for a simulator; null when it is not pending any more.
   * The claim is durable first.
   */
  async claim(id: string, endpoint: string | null): Promise<Taken | null> {
    const { queue, registries, workspace, claimedBy, book, writer } = this.#options;
    const token = randomBytes(16).toString('hex');
    const nowMs = Date.now();
    const simulator = endpoint ?? '';
    const claim = {
      sessionId: id,
      token,
      endpoint: simulator,
      at: new Date(nowMs).toISOString(),
      atMs: nowMs,
    };
    this.#expected.set(id, ['pending', 'running', 'rejected', 'failed']);
    try {
      const taken = await queue.edit<Taken | null>(async (entries) => {
        this.#compare(entries);
        const entry = entries.find((each) => each.id === id);
        if (entry?.session?.status !== 'pending' || !this.#isAlone) return NOTHING;
        const admission = admit(entry.session, registries, { workspace, claimedBy, token });
        const session = admission.kind === 'run' ? admission.scheduled.session : admission.session;
        if (admission.kind === 'run') await book.add(claim);
        else if (admission.lesson !== null) {
          const { ids, summary, report } = admission.lesson;
          writer.writeLesson(session, ids, summary, report);
        }
        return { change: new Map([[entry.index, { session }]]), answer: { admission, claim, endpoint } };
      });
      this.#compare(queue.read());
      if (taken?.admission.kind === 'run') this.#expected.set(id, ['running']);
      else this.#expected.delete(id);
      return taken;
    } catch (error) {
      this.#expected.delete(id);
      book.remove(id);
      throw error;
    }
  }

  /**
   * Writes what came of a session: its evidence, then its entry, whose claim is given back afterwards.
   * @returns the entry as written; null when it is not ours any more, and then nothing was written.
   */
  async end(claim: Claim, decide: (session: Session) => Session): Promise<Session | null> {
    const { queue, book } = this.#options;
    const { sessionId, token } = claim;
    this.#expected.set(sessionId, ['running', 'pending', 'succeeded', 'failed', 'timed_out', 'rejected']);
    const ended = await queue.edit<Session | null>((entries) => {
      const entry = entries.find((each) => each.id === sessionId);
      const session = entry?.session ?? null;
      if (entry === undefined || session === null) return NOTHING;
      const next = session.status === 'cancelling' ? cancelled(session) : null;
      if (next === null && (session.status !== 'running' || session.claim_token !== token)) return NOTHING;
      const written = next ?? decide(session);
      return { change: new Map([[entry.index, { session: written }]]), answer: written };
    });
    this.#compare(queue.read());
    this.#expected.delete(sessionId);
    book.remove(sessionId);
    return ended;
  }

  /** Pending entries that the runtime would refuse, or whose id is taken, are rejected one by one. */
  async refuseBroken(): Promise<void> {
    const { queue } = this.#options;
    const entries = queue.read();
    for (const { id, index, fault } of entries) {
      if (id === null)
        this.#tellOnce(`SESSIONS.md sessions[${index}] has no id that is text: ${fault ?? ''}`);
    }
    if (brokenEntries(entries).length === 0) return;
    const broken = await queue.edit((now) => {
      const found = brokenEntries(now);
      for (const { id, isFirst } of found) if (isFirst) this.#expected.set(id, ['pending', 'rejected']);
      const change: EntryChange = new Map(found.map(({ index, why }) => [index, { refused: why }]));
      return { change, answer: found };
    });
    this.#compare(queue.read());
    for (const { id, isFirst, why } of broken) {
      if (isFirst) this.#expected.delete(id);
      this.#tellOnce(`session ${id} was rejected: ${why}`);
    }
  }

  #tellOnce(message: string): void {
    if (this.#told.has(message)) return;
    if (this.#told.size > MAX_TOLD) this.#told.clear();
    this.#told.add(message);
    this.#options.report({ event: 'problem', message });
  }

  /** Writes the evidence of a result; the entry that names it follows. */
  keep(session: Session, targetId: string, skillId: string, result: SessionResult): SessionResult {
    const { writer } = this.#options;
    const placed = { ...result, artifact_dir: writer.writeEpisode(session, { targetId, skillId }, result) };
    writer.writeHistory(session, targetId, placed);
    return placed;
  }

  #compare(entries: readonly QueueEntry[]): void {
    const now = standingsOf(entries);
    const move = this.#standings === null ? null : foreignMove(this.#standings, now, this.#expected);
    this.#standings = now;
    if (move === null) return;
    this.#isAlone = false;
    this.#options.onMove(move);
  }
}

const NOTHING = { change: new Map(), answer: null };
const MAX_TOLD = 1000;

function cancelled(session: Session): Session {
  const failure = { code: HOST_CODES.cancelled, message: 'its entry was cancelled' };
  return moved(session, 'cancelled', failureResult('cancelled', failure));
}

interface Broken {
  readonly index: number;
  readonly id: string;
  /** False for a further entry of an id that is taken. */
  readonly isFirst: boolean;
  readonly why: string;
}

function brokenEntries(entries: readonly QueueEntry[]): readonly Broken[] {
  const seen = new Set<string>();
  const found: Broken[] = [];
  for (const { index, id, status, fault } of entries) {
    if (id === null) continue;
    const isFirst = !seen.has(id);
    seen.add(id);
    const why = isFirst ? fault : 'another entry has the same session_id';
    if (status === 'pending' && why !== null) found.push({ index, id, isFirst, why });
  }
  return found;
}
