import { setTimeout as delay } from 'node:timers/promises';
import type { Claim } from '../../lane/watchdog-record.ts';
import { messageOf } from '../python-error.ts';
import type { Session } from '../session-schema.ts';
import type { Admission } from './admission.ts';
import { cellOf, type ServiceEvent, sessionEvent } from './events.ts';
import type { Hands } from './hands.ts';
import { endStatus } from './recovery.ts';
import { failed, moved } from './session-end.ts';
import { type Cancelled, type RunEnd, runSession } from './session-run.ts';
import type { Simulators } from './simulators.ts';

export interface JobTools {
  readonly hands: Hands;
  readonly simulators: Simulators;
  readonly rpcTimeoutMs: number;
  readonly report: (event: ServiceEvent) => void;
  /** What cannot be written now is no longer waited for. */
  readonly giveUp: AbortSignal;
}

/** Between two tries to write an end down. */
const WRITE_AGAIN_MS = 2_000;

/** One claimed session from its first connection to its closed simulator. */
export class SessionJob {
  readonly #admission: Extract<Admission, { kind: 'run' }>;
  readonly #claim: Claim;
  readonly #place: string | null;
  readonly #tools: JobTools;
  readonly #cancel = new AbortController();

  constructor(
    admission: Extract<Admission, { kind: 'run' }>,
    claim: Claim,
    place: string | null,
    tools: JobTools,
  ) {
    this.#admission = admission;
    this.#claim = claim;
    this.#place = place;
    this.#tools = tools;
  }

  get sessionId(): string {
    return this.#claim.sessionId;
  }

  /** Ends the episode; the first reason counts. */
  cancel(reason: Cancelled): void {
    if (!this.#cancel.signal.aborted) this.#cancel.abort(reason);
  }

  /** Never rejects. The simulator is free again when this resolves. */
  async run(): Promise<void> {
    const { scheduled, plan, contract } = this.#admission;
    const { simulators, rpcTimeoutMs, report } = this.#tools;
    const began = performance.now();
    const simulator = this.#place === null ? null : simulators.endpointOf(this.#place);
    const cell = cellOf(scheduled);
    report({ event: 'taken', sessionId: this.sessionId, cell, simulator });
    const { signal } = this.#cancel;
    const end = await runSession({ scheduled, plan, contract, endpoint: simulator, rpcTimeoutMs, signal });
    if (end.bug !== null) report({ event: 'bug', sessionId: this.sessionId, stack: end.bug });
    if (end.failure?.code === 'TARGET_CONNECTION' && this.#place !== null) simulators.failed(this.#place);
    const written = await this.#write(end);
    const ms = performance.now() - began;
    if (written === null)
      this.#problem('its entry was moved or taken out by others, so its result was dropped');
    else report(sessionEvent(written, { cell, simulator, ms, times: end.times }));
    const complaint = await end.close();
    if (complaint !== null && end.result !== null)
      this.#problem(`the simulator was not closed: ${complaint}`);
  }

  /** Tried until it is written: a full disk or a broken document must not cost a result. */
  async #write(end: RunEnd): Promise<Session | null> {
    for (;;) {
      try {
        return await this.#tools.hands.end(this.#claim, (session) => this.#ended(session, end));
      } catch (error) {
        const { giveUp } = this.#tools;
        this.#problem(`its end cannot be written: ${messageOf(error)}`);
        // Its claim stays in the record, and the next host finds what was written.
        if (giveUp.aborted) return null;
        await delay(WRITE_AGAIN_MS, undefined, { signal: giveUp }).catch(() => undefined);
      }
    }
  }

  #ended(session: Session, { result, failure }: RunEnd): Session {
    if (result === null)
      return failed(session, failure ?? { code: 'RUNTIME_ERROR', message: 'no end' }, true);
    const { target, skill } = this.#admission.scheduled;
    const kept = this.#tools.hands.keep(session, target.id, skill.id, result);
    return moved(session, endStatus(result), kept);
  }

  #problem(message: string): void {
    this.#tools.report({ event: 'problem', message: `session ${this.sessionId}: ${message}` });
  }
}
