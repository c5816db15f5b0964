import { hostname } from 'node:os';
import { join } from 'node:path';
import type { Scheduled } from './adapter-plan.ts';
import { runEpisode } from './episode.ts';
import { sleep } from './now.ts';
import { checkHealth, missingText, type PreflightReport, runPreflight } from './preflight.ts';
import { RuntimeFailure, ScheduleFailure, type WatchdogCrash } from './python-error.ts';
import { parseSkillRuntimes, parseTargets, type SkillRuntime, type Target } from './registry-schema.ts';
import { ResultWriter } from './result-writer.ts';
import type { CachedDocument } from './runtime-document.ts';
import { resolveSession, selectNext } from './scheduler.ts';
import { SessionLock } from './session-lock.ts';
import { buildTarget, type OpenParts, openPolicy, refuseUncovered } from './session-parts.ts';
import { SessionRegistry } from './session-registry.ts';
import { type Dialect, makeResult, type Session, type SessionResult } from './session-schema.ts';

import { crashOf, failureOf, registryFile } from './watchdog-failures.ts';
import type { WatchdogOptions } from './watchdog-options.ts';

export type { WatchdogOptions } from './watchdog-options.ts';

/** Thrown inside a pass that was killed; never leaves the watchdog. */
class Killed extends Error {}

/**
 * The simulated watchdog. One pass takes at most one session from pending to its end, with the real one's reads, writes,
 * checks and defects (runtime-protocol 3 and 4). Not covered: verifier, Forge gateway sessions, perception.
 */
export class Watchdog {
  readonly #options: WatchdogOptions;
  readonly #dialect: Dialect;
  readonly #lock: SessionLock;
  readonly #registry: SessionRegistry;
  readonly #writer: ResultWriter;
  readonly #targets: CachedDocument<Target[]>;
  readonly #skills: CachedDocument<SkillRuntime[]>;
  readonly #open: OpenParts = new Set();
  #state: 'idle' | 'running' | 'stopped' | 'killed' = 'idle';
  #loop: Promise<void> = Promise.resolve();
  #resume: (() => void) | null = null;
  #paused: Promise<void> | null = null;
  #crash: WatchdogCrash | null = null;

  constructor(options: WatchdogOptions) {
    this.#options = options;
    this.#dialect = options.dialect ?? 'august';
    const path = join(options.workspace, 'SESSIONS.md');
    this.#lock = new SessionLock(`${path}.lock`);
    this.#registry = new SessionRegistry({
      path,
      shownPath: path,
      dialect: this.#dialect,
      lock: this.#lock,
      fsync: options.fsync ?? false,
      preflightWindowMs: options.preflightWindowMs ?? 0,
      gate: () => this.#gate(),
      onTransition: (id, status) => options.onTransition?.(id, status),
      onWrite: (text) => options.onWrite?.(text),
    });
    this.#targets = registryFile(options.workspace, 'TARGETS.md', parseTargets);
    this.#skills = registryFile(options.workspace, 'SKILLRUNTIME.md', parseSkillRuntimes);
    this.#writer = new ResultWriter(options.workspace, this.#dialect, options.fsync ?? false);
  }

  /** Starts the loop; returns at once. */
  start(): void {
    if (this.#state === 'running') return;
    this.#state = 'running';
    this.#crash = null;
    this.#loop = this.#run();
  }

  /** True while the loop runs (a background watchdog stays alive whatever its documents say). */
  get isAlive(): boolean {
    return this.#state === 'running';
  }

  get #isKilled(): boolean {
    return this.#state === 'killed';
  }

  /** What ended the loop, or what the last background pass died of; null when nothing did. */
  get crash(): WatchdogCrash | null {
    return this.#crash;
  }

  /** Ends the loop after the running session. */
  async stop(): Promise<void> {
    if (this.#state === 'running') this.#state = 'stopped';
    this.resume();
    await this.#loop;
    this.#lock.close();
  }

  /** Ends it as SIGKILL would: nothing more is written, connections are cut, the running entry stays as it is. */
  async kill(): Promise<void> {
    this.#state = 'killed';
    this.resume();
    for (const each of this.#open) each.close();
    this.#lock.close();
    await this.#loop;
  }

  /** Freezes before the next read or write of SESSIONS.md, as SIGSTOP would; a held lock is kept. */
  pause(): void {
    this.#paused ??= new Promise((resolve) => {
      this.#resume = resolve;
    });
  }

  resume(): void {
    this.#resume?.();
    this.#resume = null;
    this.#paused = null;
  }

  /** One pass. True when it did something, false when idle; throws {@link WatchdogCrash} where the real process dies. */
  async runOnce(): Promise<boolean> {
    await this.#gate();
    const sessions = this.#registry.load().sessions;
    const registries = this.#registries();
    let scheduled: Scheduled | null;
    try {
      scheduled = selectNext(sessions, registries.targets, registries.skills);
    } catch (error) {
      if (!(error instanceof ScheduleFailure)) throw error;
      await this.#escalate(error.sessionId, error);
      return true;
    }
    if (scheduled === null) return false;
    const id = scheduled.session.session_id;
    const workerId = `runtime-watchdog@${this.#options.hostName ?? hostname()}`;
    if (!(await this.#registry.claim(id, workerId))) return false;
    try {
      await this.#runClaimed(id);
    } catch (error) {
      await this.#escalate(id, error);
    }
    return true;
  }

  async #run(): Promise<void> {
    while (this.isAlive) {
      let didWork = false;
      try {
        didWork = await this.runOnce();
      } catch (error) {
        if (this.#isKilled) return;
        this.#crash = crashOf(error);
        if (this.#options.style !== 'background') this.#state = 'stopped';
      }
      if (!didWork && this.isAlive) await sleep(this.#options.pollMs ?? 20);
    }
  }

  async #gate(): Promise<void> {
    if (this.#paused !== null) await this.#paused;
    if (this.#isKilled) throw new Killed('the watchdog was killed');
  }

  #registries(): { targets: Target[]; skills: SkillRuntime[] } {
    return { targets: this.#targets.read(), skills: this.#skills.read() };
  }

  async #runClaimed(id: string): Promise<void> {
    let session = this.#registry.get(id);
    this.#registry.load();
    const { targets, skills } = this.#registries();
    resolveSession(session, targets, skills);
    await this.#registry.move(id, 'preflight_checking');
    session = this.#registry.get(id);
    const scheduled = resolveSession(session, targets, skills);
    checkHealth(scheduled);
    refuseUncovered(scheduled);
    const preflight = runPreflight(scheduled, this.#options.workspace);
    if (preflight.missing.length > 0) {
      await this.#reject(scheduled, preflight);
      return;
    }
    await this.#registry.writePreflightReport(id, preflight.report);
    if (session.verification?.mode === 'enforce' || session.verification?.mode === 'recovery') {
      const text = 'VERIFICATION_SERVICE_DISABLED: non-off session requires the Agent verifier service';
      throw new RuntimeFailure('SCHEMA_VALIDATION', text);
    }
    await this.#registry.move(id, 'running');
    session = this.#registry.get(id);
    await this.#execute(resolveSession(session, targets, skills), preflight);
  }

  async #reject(scheduled: Scheduled, preflight: PreflightReport): Promise<void> {
    const { session, target, skill } = scheduled;
    const message = missingText(preflight.missing);
    const fields = {
      status: 'rejected',
      success: false,
      error_code: 'RUNTIME_PREFLIGHT_FAILED',
      error_message: message,
    };
    const result = makeResult({ ...fields, metadata: { preflight: preflight.report } }, this.#dialect);
    this.#writer.writeLesson(session, { targetId: target.id, skillId: skill.id }, message, {
      ...preflight.report,
    });
    await this.#registry.move(session.session_id, 'rejected', result);
  }

  async #execute(scheduled: Scheduled, preflight: PreflightReport): Promise<void> {
    const target = buildTarget(scheduled, {
      rpcTimeoutMs: this.#options.rpcTimeoutMs ?? 30_000,
      open: this.#open,
    });
    const policy = await openPolicy(scheduled, this.#options.ignoresPolicyEndpoint === true).catch(
      async (error: unknown) => {
        await target.close();
        throw error;
      },
    );
    const dialect = this.#dialect;
    const { plan, contract } = preflight;
    const parts = { scheduled, plan, contract, target, policy, dialect, open: this.#open };
    const result = await runEpisode(parts);
    await this.#finish(scheduled, result);
  }

  async #finish({ session, target, skill }: Scheduled, result: SessionResult): Promise<void> {
    await this.#registry.move(session.session_id, 'finalizing');
    const folder = this.#writer.writeEpisode(session, { targetId: target.id, skillId: skill.id }, result);
    const placed = { ...result, artifact_dir: folder };
    this.#writer.writeHistory(session, target.id, placed);
    // The end of an episode is one of these; the schema of the entry allows no other here.
    const status = result.status === 'succeeded' || result.status === 'timed_out' ? result.status : 'failed';
    await this.#registry.move(session.session_id, status, placed);
  }

  /** What the runtime does with a failed session: reject, retry or fail. Crashes when the entry does not allow it. */
  async #escalate(id: string, error: unknown): Promise<void> {
    if (this.#isKilled) throw new Killed('the watchdog was killed');
    const failure = failureOf(error);
    const session: Session = this.#registry.get(id);
    if (failure.code === 'SCHEMA_VALIDATION') {
      const status = session.status === 'running' ? 'failed' : 'rejected';
      await this.#registry.move(id, status, this.#registry.failureResult(status, failure));
    } else if (session.retry.attempted < session.retry.max_retries) await this.#registry.retry(id, failure);
    else await this.#registry.move(id, 'failed', this.#registry.failureResult('failed', failure));
  }
}
