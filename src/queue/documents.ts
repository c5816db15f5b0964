import * as fs from 'node:fs/promises';
import * as path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { errorOf } from '../errors/rb-error.ts';
import { readTextCapped, replaceFile } from '../files/atomic-file.ts';
import { makeFolder } from '../files/durable-lines.ts';
import { type FileWatch, watchFile } from '../files/watch-file.ts';
import { hostFolder } from '../lane/host-folder.ts';
import { tryLock } from '../lane/try-lock.ts';
import { MAX_DOCUMENT_BYTES } from '../workspace/document-limit.ts';
import { dumpYaml } from '../workspace/dump-yaml.ts';
import { appendSessions, removeSessions } from '../workspace/session-edits.ts';
import { judgeRemoval } from './judge-removal.ts';
import type {
  CellTarget,
  RemovalResult,
  SessionsEdit,
  SessionsEdited,
  TargetsEdit,
} from './machine/edits.ts';
import { livePreflight, type Pace, type QueueSnapshot, snapshotOf } from './machine/snapshot.ts';
import { OwnWatchdog } from './own-watchdog.ts';
import { readSessionsText } from './sessions-document.ts';
import { editTargetsText, equalsEntry, readTargetsText } from './targets-document.ts';

/** A waiter for the lock looks up this often, to say so and to notice an interruption. */
const LOCK_SLICE_MS = 10_000;
/** Between two looks at an entry in preflight (product.md 4.4). */
const PREFLIGHT_WAIT_MS = { least: 20, most: 50 };
/** Somebody who saves TARGETS.md this often in a row is not editing by hand. */
const REPLACE_TRIES = 50;

export interface EditPatience {
  /** Null waits as long as it takes. */
  readonly timeoutMs: number | null;
  readonly signal?: AbortSignal;
  /** Slowest transition seen, for judging a preflight dead. */
  readonly slowestTransitionMs: number;
  /** Called about every ten seconds with what is waited for. */
  readonly onWait: (reason: string) => void;
}

/** A file's content as last read; it is read again when the file is another one. */
interface Cached<T> {
  readonly identity: string;
  readonly value: T;
}

/** The documents of one workspace as the queue edits them; every other entry and byte stays as it is. `close` them. */
export class QueueDocuments {
  readonly #workspace: string;
  readonly #sessions: string;
  readonly #targets: string;
  readonly #watches: readonly FileWatch[];
  readonly #watchdog: OwnWatchdog;
  #snapshot: Cached<QueueSnapshot> | null = null;
  #entries: Cached<ReadonlyMap<string, unknown>> | null = null;
  /** Cell targets found whole in the TARGETS.md of `#entries`. */
  readonly #whole = new Set<CellTarget>();

  /** @param workspace absolute. */
  constructor(workspace: string) {
    this.#workspace = workspace;
    this.#watchdog = new OwnWatchdog(workspace);
    this.#sessions = path.join(workspace, 'SESSIONS.md');
    this.#targets = path.join(workspace, 'TARGETS.md');
    this.#watches = [watchFile(this.#sessions), watchFile(this.#targets)];
  }

  /** SESSIONS.md without the lock; parsed again only when the file changed. */
  async sessions(): Promise<QueueSnapshot> {
    const identity = await identityOf(this.#sessions);
    if (identity === null) return snapshotOf([], { bytes: 0, fault: 'SESSIONS.md is not there' });
    if (this.#snapshot?.identity !== identity) {
      const text = await readTextCapped(this.#sessions, MAX_DOCUMENT_BYTES);
      this.#snapshot = { identity, value: await this.#read(text) };
    }
    return this.#snapshot.value;
  }

  /** How many sessions may be queued at once by what our own watchdog says; null while it says nothing. */
  window(endpoint: string): Promise<number | null> {
    return this.#watchdog.window(endpoint, Date.now());
  }

  /** Its claims outlast their entries' work, so a record that is read after the document names all of them. */
  async #read(text: string): Promise<QueueSnapshot> {
    const snapshot = readSessionsText(text);
    if (snapshot.facts.abandoned().length === 0) return snapshot;
    return readSessionsText(text, await this.#watchdog.sessions(Date.now()));
  }

  /** One locked edit. Null: the lock was not to be had in time; nothing was written. */
  async editSessions(edit: SessionsEdit, patience: EditPatience): Promise<SessionsEdited | null> {
    const began = Date.now();
    const left = (): number =>
      patience.timeoutMs === null ? LOCK_SLICE_MS : began + patience.timeoutMs - Date.now();
    let reported = began;
    const wait = (reason: string): void => {
      if (Date.now() - reported < LOCK_SLICE_MS) return;
      reported = Date.now();
      patience.onWait(reason);
    };
    for (let first = true; first || left() > 0; first = false) {
      const lock = await tryLock(
        `${this.#sessions}.lock`,
        Math.max(0, Math.min(left(), LOCK_SLICE_MS)),
        patience.signal,
      );
      if (patience.signal?.aborted === true) {
        lock?.release();
        return null;
      }
      if (lock === null) {
        wait('another process holds SESSIONS.md.lock');
        continue;
      }
      try {
        const result = await this.#editLocked(edit, patience, Date.now() - began);
        if (result === null || typeof result !== 'string') return result;
        wait(`${result} is in preflight`);
      } finally {
        lock.release();
      }
      await delay(
        PREFLIGHT_WAIT_MS.least + Math.random() * (PREFLIGHT_WAIT_MS.most - PREFLIGHT_WAIT_MS.least),
      );
    }
    return null;
  }

  /** The id of the entry whose preflight is in the way, null when the document cannot be read. */
  async #editLocked(
    edit: SessionsEdit,
    patience: EditPatience,
    waitedMs: number,
  ): Promise<SessionsEdited | string | null> {
    const text = await readTextCapped(this.#sessions, MAX_DOCUMENT_BYTES);
    const snapshot = await this.#read(text);
    if (snapshot.fault !== null) return null;
    const pace: Pace = { nowMs: Date.now(), slowestTransitionMs: patience.slowestTransitionMs };
    const checking = livePreflight(snapshot, pace);
    if (checking !== null) return checking.id;
    const removals = new Map<string, RemovalResult>();
    for (const removal of edit.remove) removals.set(removal.id, judgeRemoval(snapshot, removal));
    const gone = [...removals].filter(([, result]) => result === 'removed').map(([id]) => id);
    const without = gone.length === 0 ? text : removeSessions(text, gone).text;
    const after = appendSessions(without, edit.append).text;
    const identity = await identityOf(this.#sessions);
    const unchanged = async (): Promise<boolean> => (await identityOf(this.#sessions)) === identity;
    // The Agent edits without the lock: what it saved between our read and the rename must not be lost.
    if (after !== text && !(await this.#replaceSame(after, text, unchanged)))
      return 'an edit by another program';
    return { removals, bytes: Buffer.byteLength(after), waitedMs };
  }

  async #replaceSame(after: string, before: string, unchanged: () => Promise<boolean>): Promise<boolean> {
    if ((await readTextCapped(this.#sessions, MAX_DOCUMENT_BYTES)) !== before) return false;
    return replaceFile(this.#sessions, after, { confirm: unchanged });
  }

  /** Cell targets put in and taken out of TARGETS.md; entries that are already there (or gone) are no error. */
  async editTargets(edit: TargetsEdit): Promise<void> {
    if (edit.add.length === 0 && edit.remove.length === 0) return;
    for (let round = 0; round < REPLACE_TRIES; round += 1) {
      const before = await readTextCapped(this.#targets, MAX_DOCUMENT_BYTES);
      const after = editTargetsText(before, edit);
      if (after === before) return;
      const same = async (): Promise<boolean> =>
        (await readTextCapped(this.#targets, MAX_DOCUMENT_BYTES)) === before;
      if (await replaceFile(this.#targets, after, { confirm: same })) return;
      await delay(PREFLIGHT_WAIT_MS.most);
    }
    throw errorOf('RB232', {
      where: 'TARGETS.md',
      message: 'somebody else changes the file all the time.',
    });
  }

  /** Which of these TARGETS.md lacks or has with other content; cheap while the file is unchanged. */
  async damagedCellTargets(expected: readonly CellTarget[]): Promise<readonly CellTarget[]> {
    if (expected.length === 0) return [];
    const identity = await identityOf(this.#targets);
    if (identity === null) return [];
    if (this.#entries?.identity !== identity) {
      const text = await readTextCapped(this.#targets, MAX_DOCUMENT_BYTES);
      this.#entries = { identity, value: readTargetsText(text) };
      this.#whole.clear();
    }
    const { value } = this.#entries;
    // An unreadable document has no entries at all; putting ours into it is not possible.
    if (value.size === 0) return [];
    const unsure = expected.filter((target) => !this.#whole.has(target));
    const damaged = unsure.filter((target) => !equalsEntry(value.get(target.id), target));
    for (const target of unsure) if (!damaged.includes(target)) this.#whole.add(target);
    return damaged;
  }

  async writeContract(target: CellTarget): Promise<void> {
    const file = path.join(this.#workspace, target.contractRef);
    const content = dumpYaml(target.contract);
    if ((await fs.readFile(file, 'utf8').catch(() => null)) === content) return;
    await makeFolder(path.dirname(file));
    await replaceFile(file, content, { createMode: 0o644 });
  }

  async removeContract(contractRef: string): Promise<void> {
    const file = path.resolve(this.#workspace, contractRef);
    // Only below our own folder, whatever a ledger line says.
    if (path.dirname(file) !== hostFolder(this.#workspace).contracts) return;
    await fs.rm(file, { force: true });
  }

  /** Resolves when SESSIONS.md or TARGETS.md may have changed, after `timeoutMs`, or when `signal` aborts. */
  async change(timeoutMs: number, signal?: AbortSignal): Promise<void> {
    const over = new AbortController();
    const stop = (): void => over.abort();
    // By hand, since a signal that lives as long as the run must keep nothing of a wait of one second.
    signal?.addEventListener('abort', stop, { once: true });
    if (signal?.aborted === true) stop();
    await Promise.race(this.#watches.map((watch) => watch.next(timeoutMs, over.signal)));
    signal?.removeEventListener('abort', stop);
    over.abort();
  }

  close(): void {
    for (const watch of this.#watches) watch.close();
  }
}

/** Tells one state of a file from another; null when it is not there. */
async function identityOf(file: string): Promise<string | null> {
  try {
    const { dev, ino, mtimeNs, size } = await fs.stat(file, { bigint: true });
    return `${dev}:${ino}:${mtimeNs}:${size}`;
  } catch {
    return null;
  }
}
