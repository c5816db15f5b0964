import { join } from 'node:path';
import { type FileWatch, watchFile } from '../../files/watch-file.ts';
import { messageOf, WatchdogCrash } from '../python-error.ts';
import type { Session } from '../session-schema.ts';
import { inOrder, scheduledOf } from './admission.ts';
import { NOT_RUN, type ServiceEvent, sessionEvent } from './events.ts';
import { isWorking } from './foreign-moves.ts';
import { Hands, type HandsOptions } from './hands.ts';
import { leftByOthers } from './left-entries.ts';
import type { QueueEntry } from './queue-entries.ts';
import { HOST_CODES } from './session-end.ts';
import { type JobTools, SessionJob } from './session-job.ts';
import { Cancelled } from './session-run.ts';
import { Wake } from './wake.ts';

interface ServiceOptions extends Omit<HandsOptions, 'onMove'> {
  readonly rpcTimeoutMs: number;
  /** Ends when nothing is pending that could be taken. */
  readonly once: boolean;
  /** Takes nothing more, and ends with what runs. */
  readonly stop: AbortSignal;
  /** Ends what runs. */
  readonly cancel: AbortSignal;
}

/** Longest wait between two looks, whatever the system reports. */
const LOOK_MS = 60_000;
/** The same while a document cannot be read or written. */
const MEND_MS = 1_000;

/**
 * The watchdog as a service: takes pending sessions of SESSIONS.md and runs each on a simulator of its own, until it is
 * told to stop. It shares wire, checks and layout with the embedded host, and none of the original's defects.
 */
export class WatchdogService {
  readonly #options: ServiceOptions;
  readonly #hands: Hands;
  readonly #wake = new Wake();
  readonly #jobs = new Map<string, SessionJob>();
  #waiting: string | null = null;
  #isRecovered = false;
  #stopped: string | null = null;
  #sessions = 0;

  constructor(options: ServiceOptions) {
    this.#options = options;
    this.#hands = new Hands({ ...options, onMove: (reason) => this.#stopTaking(reason) });
  }

  /** Something outside changed, for example a simulator came back. */
  wake(): void {
    this.#wake.now();
  }

  /** Resolves when it has ended: why it stopped taking sessions, null when it only did what it was told. */
  async run(): Promise<string | null> {
    const { workspace, stop, cancel } = this.#options;
    const watch = watchFile(join(workspace, 'SESSIONS.md'), { coalesceMs: 2 });
    const wake = (): void => this.#wake.now();
    const cancelAll = (): void => this.#cancelAll();
    stop.addEventListener('abort', wake);
    cancel.addEventListener('abort', cancelAll);
    try {
      while (!(await this.#round())) await this.#change(watch);
      await this.#hands.book.flush().catch(() => undefined);
    } finally {
      stop.removeEventListener('abort', wake);
      cancel.removeEventListener('abort', cancelAll);
      watch.close();
      this.#hands.close();
    }
    this.#say({ event: 'ended', sessions: this.#sessions });
    return this.#stopped;
  }

  /** One look at everything; true when the service is over. */
  async #round(): Promise<boolean> {
    const idle = await this.#take().catch((error: unknown) => this.#mend(error));
    const over = this.#options.stop.aborted || (this.#options.once && (idle || this.#stopped !== null));
    if (this.#jobs.size === 0) await this.#hands.book.flush().catch((error: unknown) => this.#mend(error));
    return over && this.#jobs.size === 0;
  }

  /** Takes whatever may be taken; true when nothing is left that could be. */
  async #take(): Promise<boolean> {
    if (!this.#isRecovered) await this.#recover();
    this.#follow(this.#hands.look());
    if (this.#stopped !== null || this.#options.stop.aborted) return true;
    await this.#hands.refuseBroken();
    const { registries } = this.#options;
    if (registries.targets.refresh()) this.#announce();
    registries.skills.refresh();
    await this.#tellSimulators();
    const entries = this.#hands.look();
    const waiting = leftByOthers(entries, (id) => this.#jobs.has(id), Date.now());
    this.#wait(waiting?.reason ?? null);
    if (waiting !== null) {
      this.#wake.in(waiting.untilMs - Date.now());
      return this.#options.once;
    }
    const pending = inOrder(entries);
    for (const session of pending) if (!(await this.#takeOne(session))) break;
    return pending.length === 0 || this.#hands.look().every(({ status }) => status !== 'pending');
  }

  /** A run may ask how many simulators its target has before the first session names it. */
  #announce(): void {
    const { registries, simulators } = this.#options;
    for (const target of registries.targets.entries())
      if (target.enabled && target.target_kind !== 'real_robot') simulators.announce(target);
  }

  async #tellSimulators(): Promise<void> {
    if (this.#hands.book.tell({ simulators: this.#options.simulators.working() }))
      await this.#hands.book.flush();
  }

  /** False when nothing more may be taken for now. */
  async #takeOne(session: Session): Promise<boolean> {
    const { stop, registries, simulators } = this.#options;
    if (this.#stopped !== null || stop.aborted) return false;
    const scheduled = scheduledOf(session, registries);
    const place = 'code' in scheduled ? null : simulators.take(scheduled);
    if (place === null && !('code' in scheduled)) return true;
    try {
      const taken = await this.#hands.claim(session.session_id, place);
      if (taken === null || taken.admission.kind === 'end') this.#release(place);
      if (taken === null) return true;
      this.#sessions += 1;
      if (taken.admission.kind === 'end') this.#say(sessionEvent(taken.admission.session, NOT_RUN));
      else this.#start(new SessionJob(taken.admission, taken.claim, place, this.#tools()), place);
    } catch (error) {
      this.#release(place);
      throw error;
    }
    return true;
  }

  #tools(): JobTools {
    const { rpcTimeoutMs, simulators, report, cancel } = this.#options;
    return { hands: this.#hands, rpcTimeoutMs, simulators, report, giveUp: cancel };
  }

  #start(job: SessionJob, place: string | null): void {
    this.#jobs.set(job.sessionId, job);
    // It may have been claimed while the others were being ended.
    if (this.#options.cancel.aborted) this.#cancelAll();
    if (this.#stopped !== null) this.#leave(job, this.#stopped);
    // A job never rejects: whatever goes wrong is the session's own end.
    void job.run().finally(() => {
      this.#jobs.delete(job.sessionId);
      this.#release(place);
      this.#wake.now();
    });
  }

  #release(place: string | null): void {
    if (place !== null) this.#options.simulators.release(place);
  }

  async #recover(): Promise<void> {
    await this.#hands.book.flush();
    const entries = await this.#hands.recover();
    this.#isRecovered = true;
    const pending = entries.filter(({ status }) => status === 'pending').length;
    const working = entries.filter(({ status }) => isWorking(status));
    this.#say({ event: 'started', pending, working: working.length });
    for (const { id, status, session } of working) {
      const since = session?.updated_at ?? null;
      this.#say({ event: 'left', sessionId: id ?? '', status: status ?? '', since });
    }
  }

  /** Sessions whose entry somebody cancelled or took out end at once. */
  #follow(entries: readonly QueueEntry[]): void {
    for (const job of this.#jobs.values()) {
      const status = entries.find(({ id }) => id === job.sessionId)?.status ?? null;
      if (status !== null && status !== 'cancelled' && status !== 'cancelling') continue;
      const message = status === null ? 'its entry was taken out of SESSIONS.md' : 'its entry was cancelled';
      job.cancel(new Cancelled({ code: HOST_CODES.cancelled, message }, false));
    }
  }

  /** Another watchdog is at work: what runs here may share a simulator with it. */
  #stopTaking(reason: string): void {
    if (this.#stopped !== null) return;
    this.#stopped = reason;
    this.#hands.book.tell({ stopped: reason });
    this.#say({ event: 'stopped', reason });
    for (const job of this.#jobs.values()) this.#leave(job, reason);
    this.#wake.now();
  }

  #leave(job: SessionJob, reason: string): void {
    const message = `another watchdog works on this workspace: ${reason}`;
    job.cancel(new Cancelled({ code: HOST_CODES.notAlone, message }, true));
  }

  #cancelAll(): void {
    const message = 'the host was told twice to end';
    for (const job of this.#jobs.values())
      job.cancel(new Cancelled({ code: HOST_CODES.cancelled, message }, false));
  }

  /** A document that cannot be read or written now; everything is tried again. False: the service goes on. */
  #mend(error: unknown): boolean {
    this.#wait(error instanceof WatchdogCrash ? `${error.pythonName}: ${error.message}` : messageOf(error));
    this.#wake.in(MEND_MS);
    return false;
  }

  #wait(reason: string | null): void {
    if (this.#waiting === reason) return;
    this.#waiting = reason;
    this.#say(reason === null ? { event: 'going-on' } : { event: 'waiting', reason });
  }

  async #change(watch: FileWatch): Promise<void> {
    const over = new AbortController();
    await Promise.race([watch.next(LOOK_MS, over.signal), this.#wake.next()]);
    over.abort();
  }

  #say(event: ServiceEvent): void {
    this.#options.report(event);
  }
}
