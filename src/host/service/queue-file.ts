import { statSync } from 'node:fs';
import { join } from 'node:path';
import { replaceFile } from '../../files/atomic-file.ts';
import { timeStamp } from '../now.ts';
import { readText } from '../runtime-document.ts';
import { SessionLock } from '../session-lock.ts';
import { parseSessions, type Session } from '../session-schema.ts';
import { type KnownItems, type ListDocument, listText, readList, withItems } from './list-document.ts';
import { EntryReader, type QueueEntry } from './queue-entries.ts';
import { failureResult } from './session-end.ts';

const KEY = 'sessions';

interface Seen {
  /** Of the file that was read; null for one that was written, which is compared with the next one by its text. */
  readonly identity: string | null;
  readonly text: string;
  readonly document: ListDocument;
  readonly entries: readonly QueueEntry[];
}

interface Step<T> {
  readonly change: EntryChange;
  readonly answer: T;
}

/** What becomes of an entry, by its place: a session, or one that is refused and keeps what else it says. */
export type EntryChange = ReadonlyMap<number, { readonly session: Session } | { readonly refused: string }>;

/** SESSIONS.md, read when it is another file than the last time and written entry by entry, under the runtime's lock. */
export class QueueFile {
  readonly #path: string;
  readonly #lock: SessionLock;
  readonly #reader = new EntryReader();
  #seen: Seen | null = null;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(workspace: string) {
    this.#path = join(workspace, 'SESSIONS.md');
    this.#lock = new SessionLock(`${this.#path}.lock`);
  }

  /** The entries as they stand, without the lock. @throws WatchdogCrash for a document that cannot be read. */
  read(): readonly QueueEntry[] {
    return this.#load().entries;
  }

  /**
   * One step under the lock: what `decide` wants is on the disk when this resolves. Steps wait for each other. `decide` is
   * asked again when somebody replaced the file without the lock meanwhile.
   * @throws RbError when it cannot be written (a full disk), and what `decide` throws; nothing was written then.
   */
  edit<T>(decide: (entries: readonly QueueEntry[]) => Promise<Step<T>> | Step<T>): Promise<T> {
    const step = this.#turn.then(() =>
      this.#lock.hold(async () => {
        for (;;) {
          const { document, entries, identity } = this.#load();
          const { change, answer } = await decide(entries);
          if (change.size === 0 || (await this.#write(document, change, identity))) return answer;
        }
      }),
    );
    this.#turn = step.catch(() => undefined);
    return step;
  }

  close(): void {
    this.#lock.close();
  }

  #load(): Seen {
    const identity = identityOf(this.#path);
    const seen = this.#seen;
    if (seen !== null && seen.identity === identity) return seen;
    const text = readText(this.#path, 'SESSIONS.md');
    this.#seen = seen?.text === text ? { ...seen, identity } : this.#parse(text, identity);
    return this.#seen;
  }

  #parse(text: string, identity: string): Seen {
    const known: KnownItems = new Map(this.#seen?.document.items.map((item) => [item.text, item.value]));
    const document = readList(text, KEY, 'SESSIONS.md', known);
    parseSessions({ ...document.top, sessions: [] }, 'august');
    return { identity, text, document, entries: this.#reader.entries(document) };
  }

  /** False when the file is not the one that was read. */
  async #write(document: ListDocument, change: EntryChange, read: string | null): Promise<boolean> {
    const values = new Map(
      [...change].map(([index, to]) => [
        index,
        'session' in to
          ? this.#reader.valueOf(to.session)
          : refusedEntry(document.items[index]?.value, to.refused),
      ]),
    );
    const next = withItems(document, KEY, values);
    const text = listText(next);
    const confirm = (): boolean => identityOf(this.#path) === read;
    if (!(await replaceFile(this.#path, text, { confirm }))) return false;
    this.#seen = { identity: null, text, document: next, entries: this.#reader.entries(next) };
    return true;
  }
}

function refusedEntry(value: unknown, why: string): unknown {
  const failure = { code: 'SCHEMA_VALIDATION', message: why };
  const { status, success, error_code, error_message } = failureResult('rejected', failure);
  const result = { status, success, error_code, error_message };
  const fields = typeof value === 'object' && value !== null ? value : {};
  return { ...fields, status, updated_at: timeStamp('Z'), result };
}

/** Tells one state of the file from another; a replaced file has another inode. */
function identityOf(path: string): string {
  try {
    const { dev, ino, mtimeNs, size } = statSync(path, { bigint: true });
    return `${dev}:${ino}:${mtimeNs}:${size}`;
  } catch {
    return 'absent';
  }
}
