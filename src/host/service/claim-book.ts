import { isDeepStrictEqual } from 'node:util';
import { type Claim, type WatchdogRecord, writeWatchdogRecord } from '../../lane/watchdog-record.ts';

/** The record of this watchdog: a claim is durable before the entry is taken, and leaves it some time after its end. */
export class ClaimBook {
  readonly #workspace: string;
  #record: WatchdogRecord;
  #isDirty = true;

  constructor(workspace: string, about: Pick<WatchdogRecord, 'pid' | 'version' | 'startedAt' | 'claims'>) {
    this.#workspace = workspace;
    this.#record = { schema: 'rollout-bench/watchdog/1', ...about, stopped: null, simulators: [] };
  }

  get claims(): readonly Claim[] {
    return this.#record.claims;
  }

  /** @throws RbError when it cannot be written: the session must not be taken then. */
  async add(claim: Claim): Promise<void> {
    this.#change({ claims: [...this.#others(claim.sessionId), claim] });
    try {
      await this.flush();
    } catch (error) {
      this.#change({ claims: this.#others(claim.sessionId) });
      throw error;
    }
  }

  remove(sessionId: string): void {
    const claims = this.#others(sessionId);
    if (claims.length < this.#record.claims.length) this.#change({ claims });
  }

  /** False when that was said already. */
  tell(facts: Partial<Pick<WatchdogRecord, 'stopped' | 'simulators'>>): boolean {
    if (isDeepStrictEqual({ ...this.#record, ...facts }, this.#record)) return false;
    this.#change(facts);
    return true;
  }

  /** Writes what has changed. */
  async flush(): Promise<void> {
    if (!this.#isDirty) return;
    const record = this.#record;
    await writeWatchdogRecord(this.#workspace, record);
    this.#isDirty = this.#record !== record;
  }

  #others(sessionId: string): Claim[] {
    return this.#record.claims.filter((claim) => claim.sessionId !== sessionId);
  }

  #change(facts: Partial<WatchdogRecord>): void {
    this.#record = { ...this.#record, ...facts };
    this.#isDirty = true;
  }
}
