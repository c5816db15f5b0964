import { errorOf } from '../errors/rb-error.ts';
import type { Arm } from '../model/plan.ts';
import type { PolicyIdentity } from '../policy/metadata.ts';
import { probePolicy } from '../policy/probe.ts';
import type { PolicyProcess } from './policy-process.ts';

/** Until a policy that is about to be ended has said once more who it is. */
const FAREWELL_MS = 5_000;

/** What the measurement sees of a policy that this run started. */
export interface StartedPolicy {
  /** It is ended for now, because the other one has its turn. */
  readonly isAway: boolean;
  /** What is wrong with its process; a death is told once, so that what it spoiled is known. Null: nothing. */
  complaint(): { readonly why: string; readonly final: boolean } | null;
  /** Who it said it was when it was last ended; null when it was not, or did not answer. */
  readonly leftAs: PolicyIdentity | null;
  readonly restarts: number;
}

/** The policies that a run started, by arm. */
export class PolicyArms {
  readonly #processes: ReadonlyMap<Arm, PolicyProcess>;
  readonly #met = new Map<Arm, PolicyIdentity>();
  readonly #leftAs = new Map<Arm, PolicyIdentity>();

  constructor(processes: readonly PolicyProcess[]) {
    this.#processes = new Map(processes.map((each) => [each.spec.arm, each]));
  }

  has(arm: Arm): boolean {
    return this.#processes.has(arm);
  }

  get size(): number {
    return this.#processes.size;
  }

  /** Starts the policy of an arm if it is not there, and waits until it answers. @throws as `PolicyProcess`. */
  async start(arm: Arm, signal: AbortSignal): Promise<void> {
    const own = this.#processes.get(arm);
    if (own === undefined) return;
    if (own.life.phase.kind === 'off') await own.start();
    await own.untilReady(signal);
  }

  /** Who a policy said it was when it was met. */
  remember(arm: Arm, identity: PolicyIdentity): void {
    this.#met.set(arm, identity);
  }

  /** Gives an arm its turn: the other one is ended first. @throws as `start`, and RB954 when it came back as another. */
  async use(arm: Arm, signal: AbortSignal): Promise<void> {
    if (this.#processes.get(arm)?.life.phase.kind !== 'off') return;
    for (const other of this.#processes.keys()) if (other !== arm) await this.rest(other, signal);
    await this.start(arm, signal);
    await this.#requireSame(arm, signal);
  }

  /** Ends the policy of an arm for now, after it said once more who it is. */
  async rest(arm: Arm, signal: AbortSignal): Promise<void> {
    const own = this.#processes.get(arm);
    if (own === undefined || own.life.phase.kind === 'off') return;
    const now = await probePolicy(own.endpoint, { timeoutMs: FAREWELL_MS, signal }).catch(() => null);
    if (now === null) this.#leftAs.delete(arm);
    else this.#leftAs.set(arm, now);
    await own.stop('calm');
  }

  /** Ends all that are up for now, and tells which. */
  async restAll(signal: AbortSignal): Promise<readonly Arm[]> {
    const up = [...this.#processes].filter(([, { life }]) => life.phase.kind !== 'off').map(([arm]) => arm);
    for (const arm of up) await this.rest(arm, signal);
    return up;
  }

  /** Brings up what `restAll` ended. @throws as `use`. */
  async wake(arms: readonly Arm[], signal: AbortSignal): Promise<void> {
    for (const arm of arms) {
      await this.start(arm, signal);
      await this.#requireSame(arm, signal);
    }
  }

  /** Ends all of them. */
  async stop(pace: 'calm' | 'hurried'): Promise<void> {
    await Promise.all([...this.#processes.values()].map((each) => each.stop(pace)));
  }

  /** Null for an arm whose policy somebody else serves. */
  of(arm: Arm): StartedPolicy | null {
    const own = this.#processes.get(arm);
    if (own === undefined) return null;
    const leftAs = this.#leftAs;
    return {
      get isAway() {
        return own.life.phase.kind === 'off';
      },
      complaint: () => complaintOf(own),
      get leftAs() {
        return own.life.phase.kind === 'off' ? (leftAs.get(arm) ?? null) : null;
      },
      get restarts() {
        return own.life.restarts;
      },
    };
  }

  async #requireSame(arm: Arm, signal: AbortSignal): Promise<void> {
    const own = this.#processes.get(arm);
    const met = this.#met.get(arm);
    if (own === undefined || met === undefined) return;
    const now = await probePolicy(own.endpoint, { timeoutMs: FAREWELL_MS, signal });
    if (now.digest === met.digest) return;
    throw errorOf('RB954', {
      where: `${arm} policy`,
      message: `it was started again and is another one now: ${now.digest ?? 'it says nothing of itself'}, before ${met.digest ?? 'nothing'}.`,
      fix: 'Make the command serve the same policy each time, with the same metadata.',
    });
  }
}

function complaintOf(own: PolicyProcess): ReturnType<StartedPolicy['complaint']> {
  const { arm } = own.spec;
  const last = own.lastLine === null ? '' : `; its last line: ${own.lastLine}`;
  const { phase } = own.life;
  if (phase.kind === 'failed')
    return { why: `the ${arm} policy is not started any more: ${phase.how.why}${last}`, final: true };
  const death = own.takeDeath();
  if (death !== null) return { why: `the ${arm} policy died: ${death}`, final: false };
  return phase.kind === 'starting'
    ? { why: `the ${arm} policy is starting again${last}`, final: false }
    : null;
}
