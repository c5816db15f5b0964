import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { host as hostVerb } from '../../../../src/app/host.ts';
import {
  type Host,
  type HostOptions,
  LIBERO_SKILL_ID,
  LIBERO_TARGET_ID,
  startHost,
} from '../../../../src/host/host.ts';
import type { ServiceEvent } from '../../../../src/host/service/events.ts';
import { parseSessions, type Session } from '../../../../src/host/session-schema.ts';
import { asMap } from '../../../../src/host/wire.ts';
import { writeRuntimeYaml } from '../../../../src/host/yaml-writer.ts';
import { findYamlBlock, renderDocument } from '../../../../src/workspace/fenced-block.ts';
import { loadYaml } from '../../../../src/workspace/pyyaml.ts';
import { called } from '../../app/verb-context.ts';

type Entry = Record<string, unknown>;

/** A workspace with simulator and policies, and the verb `host` working on it in this process. */
export class Served {
  readonly host: Host;
  #stop = new AbortController();
  #cancel = new AbortController();
  #printed: () => string = () => '';
  done: Promise<number> = Promise.resolve(0);

  private constructor(host: Host) {
    this.host = host;
  }

  static async start(options: HostOptions = {}): Promise<Served> {
    return new Served(await startHost({ ...options, startWatchdog: false }));
  }

  get workspace(): string {
    return this.host.workspace;
  }

  /** Starts the verb; its exit code is `done`. */
  async serve(...more: readonly string[]): Promise<this> {
    const { verb, printed } = await called(['host', '--workspace', this.workspace, '--json', ...more]);
    this.#stop = new AbortController();
    this.#cancel = new AbortController();
    this.#printed = printed;
    const secondSignal = (): AbortSignal => this.#cancel.signal;
    this.done = hostVerb({ ...verb, signal: this.#stop.signal, secondSignal });
    this.done.catch(() => undefined);
    return this;
  }

  /** Works off what is pending, then ends. */
  async once(...more: readonly string[]): Promise<number> {
    await this.serve('--once', ...more);
    return this.done;
  }

  /** As the first signal. */
  stop(): Promise<number> {
    this.#stop.abort();
    return this.done;
  }

  /** As the second signal. */
  cancel(): Promise<number> {
    this.#stop.abort();
    this.#cancel.abort();
    return this.done;
  }

  async end(): Promise<void> {
    await this.cancel().catch(() => undefined);
    await this.host.stop();
  }

  events(): ServiceEvent[] {
    // Written by the verb of this very test.
    return this.#printed()
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as ServiceEvent);
  }

  path(name: string): string {
    return join(this.workspace, name);
  }

  read(name: string): string {
    return readFileSync(this.path(name), 'utf8');
  }

  /** Replaces a document as a careful writer does. */
  put(name: string, text: string): void {
    writeFileSync(this.path(`${name}.new`), text);
    renameSync(this.path(`${name}.new`), this.path(name));
  }

  queue(...entries: Entry[]): void {
    this.put('SESSIONS.md', renderDocument('Runtime Sessions', writeRuntimeYaml({ sessions: entries })));
  }

  /** A pending entry on the benchmark target. */
  entry(id: string, more: Entry = {}): Entry {
    return {
      session_id: id,
      target_ref: `target://${LIBERO_TARGET_ID}`,
      skillruntime_ref: `skillruntime://${LIBERO_SKILL_ID}`,
      task_description: 'do it',
      routing: { policy_endpoint: this.host.policyEndpoint },
      ...more,
    };
  }

  /** The entries as they stand in the document, defaults not filled in. */
  raw(): Entry[] {
    const block = findYamlBlock(this.read('SESSIONS.md'));
    if ('problem' in block) throw new Error(block.problem);
    const { sessions } = asMap(loadYaml(block.body)) ?? {};
    return Array.isArray(sessions) ? sessions.map((each) => asMap(each) ?? {}) : [];
  }

  sessions(): Session[] {
    return parseSessions({ sessions: this.raw() }, 'august').sessions;
  }

  session(id: string): Session | undefined {
    return this.sessions().find((each) => each.session_id === id);
  }

  /** Waits until the entry has one of these states. */
  async reaches(id: string, ...states: readonly string[]): Promise<void> {
    await this.until(
      () => states.includes(String(this.raw().find((each) => each['session_id'] === id)?.['status'])),
      `${id} is ${states.join(' or ')}`,
    );
  }

  async until(isTrue: () => boolean, what: string): Promise<void> {
    for (let wait = 0; wait < 6000; wait += 1) {
      if (isTrue()) return;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    throw new Error(`waited too long until ${what}: ${this.read('SESSIONS.md').slice(0, 4000)}`);
  }
}
