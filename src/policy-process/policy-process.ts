import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import * as path from 'node:path';
import type { RbError } from '../errors/rb-error.ts';
import { makeFolder } from '../files/durable-lines.ts';
import type { Arm } from '../model/plan.ts';
import type { Clock, Log } from '../platform/ports.ts';
import { endPolicy, type Pace } from './end-policy.ts';
import { commandAt, commandEnvironment } from './environment.ts';
import { type Failure, type Life, type LifeEvent, lived, UNBORN } from './lifecycle.ts';
import { LogFile } from './log-file.ts';
import { LogTail } from './log-tail.ts';
import { groupLedBy, groupLeftBy, type Mark, portsOf, processesOf } from './proc.ts';
import { dropRecord, keepRecord, newRecord, type ProcessRecord, renewRecord } from './record.ts';
import { endText, lastOutput, startShellLine } from './shell-line.ts';
import { untilAnswer } from './until-answer.ts';
import { deathText, failureOf } from './why-failed.ts';

/** What one policy is started with. */
export interface PolicySpec {
  readonly arm: Arm;
  readonly command: string;
  /** Absolute. */
  readonly directory: string;
  /** On the loopback device. */
  readonly port: number;
  /** Null when ending the processes is enough. */
  readonly stopCommand: string | null;
  /** Variables that the command gets beside PATH and HOME. */
  readonly names: readonly string[];
  /** Until it answers, at the beginning and after a restart; milliseconds. */
  readonly waitMs: number;
  readonly runId: string;
}

interface ProcessTools {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly log: Log;
  /** Takes secrets out of what the policy says. */
  readonly mask: (text: string) => string;
  /** Absolute; where records are kept. */
  readonly records: string;
  /** Absolute; where its output is kept. */
  readonly logFile: string;
}

const LOOK_MS = 100;
const DAEMON_LOOK_MS = 1_000;

/** The process of one policy, and all that came of it. */
export class PolicyProcess {
  readonly spec: PolicySpec;
  readonly #tools: ProcessTools;
  readonly #token = randomBytes(16).toString('hex');
  readonly #tail = new LogTail();
  #life: Life = UNBORN;
  #record: ProcessRecord | null = null;
  #logFile: LogFile | null = null;
  /** Aborted when this start of the command is no longer the current one. */
  #current = new AbortController();
  /** What goes on beside the caller; never rejects. */
  #work: Promise<void> = Promise.resolve();

  constructor(spec: PolicySpec, tools: ProcessTools) {
    this.spec = spec;
    this.#tools = tools;
  }

  get life(): Life {
    return this.#life;
  }

  /** The last line that it printed; null before the first. */
  get lastLine(): string | null {
    return this.lastLines(1)[0] ?? null;
  }

  lastLines(most?: number): readonly string[] {
    return this.#tail.lastLines(this.#tools.mask, most);
  }

  /** Starts the command. @throws RbError RB219 when that cannot be written down first. */
  async start(): Promise<void> {
    const { clock, records, logFile, mask } = this.#tools;
    const startedAt = new Date(clock.now()).toISOString();
    this.#record = newRecord(this.spec, { token: this.#token, startedAt });
    await keepRecord(records, this.#record);
    await makeFolder(path.dirname(logFile));
    this.#logFile = new LogFile({ file: logFile, mask, now: () => clock.now() });
    this.#feel({ type: 'start' });
  }

  /**
   * Waits until the policy answers, with its last line as progress.
   * @throws RbError RB940 to RB942 (exit 3) when it never will; the signal's reason when that aborts.
   */
  async untilReady(signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#tools;
    const { arm, waitMs } = this.spec;
    const began = clock.now();
    while (this.#life.phase.kind === 'starting') {
      const waited = Math.round((clock.now() - began) / 1000);
      if (waited > 0)
        log.progress(
          `Waiting for the ${arm} policy, ${waited} of ${waitMs / 1000} s: ${this.lastLine ?? 'no output'}`,
        );
      await clock.sleep(LOOK_MS, signal);
      signal.throwIfAborted();
    }
    const { phase } = this.#life;
    if (phase.kind === 'failed') throw this.#failure(phase.how);
  }

  #failure(how: Failure): RbError {
    const ports = portsOf(processesOf(this.#mark()));
    return failureOf({ ...this.spec, how, ports, lastLines: this.lastLines() });
  }

  /** How it died, once: what ran meanwhile lost its policy. */
  takeDeath(): string | null {
    const { untold } = this.#life;
    if (untold !== null) this.#feel({ type: 'told' });
    return untold;
  }

  /** Ends everything that the command started. What cannot be ended stays on record, and is said. */
  async stop(pace: Pace): Promise<void> {
    if (this.#record === null) return;
    this.#current.abort();
    this.#feel({ type: 'stop' });
    await this.#work;
    const gone = await this.#clear(pace);
    this.#logFile?.note('ended');
    this.#logFile?.close();
    this.#logFile = null;
    if (gone) await dropRecord(this.#tools.records, this.#token);
    this.#record = null;
  }

  #feel(event: LifeEvent): void {
    const { life, start } = lived(this.#life, event);
    const before = this.#life;
    this.#life = life;
    if (event.type === 'died') this.#sayDeath(before, event.why);
    if (start || life.phase.kind === 'failed') this.#current.abort();
    if (!start) return;
    const current = new AbortController();
    this.#current = current;
    const again = event.type === 'died';
    this.#work = this.#work
      .then(() => this.#launch(current.signal, again))
      .catch((error: unknown) => this.#ended(current.signal, String(error)));
  }

  #sayDeath({ phase }: Life, why: string): void {
    if (phase.kind !== 'starting' && phase.kind !== 'ready') return;
    this.#logFile?.note(why);
    const again = this.#life.phase.kind === 'starting';
    if (!this.#life.answered) return;
    const { arm } = this.spec;
    this.#tools.log.warning(deathText({ arm, why, again, lastLines: this.lastLines() }));
  }

  async #launch(signal: AbortSignal, again: boolean): Promise<void> {
    if (again) await this.#clear('hurried');
    if (signal.aborted || this.#record === null) return;
    const { env } = this.#tools;
    const { command, directory, port, names } = this.spec;
    this.#logFile?.note(`started in ${directory}: ${command}`);
    const child = startShellLine({
      command: commandAt(command, port),
      directory,
      env: commandEnvironment(env, { port, token: this.#token, names }),
      onOutput: (chunk) => {
        this.#tail.push(chunk);
        this.#logFile?.push(chunk);
      },
    });
    child.once('error', (error) => this.#ended(signal, `it could not be started: ${error.message}`));
    child.once('exit', (code, by) => void this.#exited(child, { signal, code, by }));
    await this.#noteGroup(child.pid === undefined ? null : groupLedBy(child.pid));
    void this.#untilAnswer(signal);
  }

  #ended(signal: AbortSignal, why: string): void {
    if (!signal.aborted) this.#feel({ type: 'died', why });
  }

  async #exited(
    child: ChildProcess,
    { signal, code, by }: { signal: AbortSignal; code: number | null; by: NodeJS.Signals | null },
  ): Promise<void> {
    if (signal.aborted) return;
    const group = child.pid === undefined ? null : groupLeftBy(child.pid);
    if (this.#record !== null) this.#record = { ...this.#record, group };
    await lastOutput(child, this.#tools.clock);
    const goesOn = code === 0 && (this.spec.stopCommand !== null || processesOf(this.#mark()).length > 0);
    if (!goesOn) return this.#ended(signal, endText(code, by));
    this.#work = this.#work.then(() => this.#noteGroup(group));
    if (this.spec.stopCommand === null) await this.#untilAllEnded(signal);
  }

  /** A command that ended well and left processes behind: these are the policy. */
  async #untilAllEnded(signal: AbortSignal): Promise<void> {
    while (!signal.aborted && processesOf(this.#mark()).length > 0)
      await this.#tools.clock.sleep(DAEMON_LOOK_MS, signal);
    this.#ended(signal, 'the processes that the command left behind have ended');
  }

  async #untilAnswer(signal: AbortSignal): Promise<void> {
    const { clock } = this.#tools;
    const found = await untilAnswer({ endpoint: this.endpoint, waitMs: this.spec.waitMs, clock, signal });
    if (signal.aborted) return;
    this.#feel(found === null ? { type: 'answered' } : { type: 'late', why: found });
  }

  get endpoint(): string {
    return `openpi://127.0.0.1:${this.spec.port}`;
  }

  #mark(): Mark {
    return { token: this.#token, group: this.#record?.group ?? null, place: this.spec };
  }

  async #noteGroup(group: ProcessRecord['group']): Promise<void> {
    if (this.#record === null) return;
    this.#record = { ...this.#record, group };
    // The marker alone finds it, too, so a full disk costs nothing here.
    await renewRecord(this.#tools.records, this.#record).catch(() => undefined);
  }

  /** False when something may be left. */
  async #clear(pace: Pace): Promise<boolean> {
    const { env, clock, mask, log } = this.#tools;
    const record = this.#record;
    if (record === null) return true;
    const whose = `${this.spec.arm} policy`;
    return endPolicy({ ...this.#mark(), record, whose, pace, env, mask, clock, log });
  }
}
