import { type FSWatcher, watch } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, dirname } from 'node:path';

interface WatchOptions {
  /** Milliseconds between two looks at the file, beside the notifications of the system. */
  readonly pollMs?: number;
  /** Milliseconds in which several changes become one. */
  readonly coalesceMs?: number;
  /** Called for each change, at most once per `coalesceMs`. */
  readonly onChange?: () => void;
}

type WatchResult = 'changed' | 'timeout' | 'closed';

/** A file that is being watched; made by {@link watchFile}. */
export interface FileWatch {
  /**
   * Waits for a change that this method has not reported yet; one that happened since the last call counts. Resolves
   * early with `closed` after {@link close}, and with `timeout` after `timeoutMs` or when `signal` aborts.
   */
  next(timeoutMs: number, signal?: AbortSignal): Promise<WatchResult>;
  /** Stops everything; no timer or watcher stays. */
  close(): void;
}

/**
 * Watches one file that others replace by renaming. The system is asked about its folder, since a watch on the file would
 * follow the old file for ever; a look at the file every `pollMs` finds what the system did not report (network file
 * systems, lost events, a folder that was deleted and made again). The file and its folder need not exist.
 */
export function watchFile(path: string, options: WatchOptions = {}): FileWatch {
  return new PolledWatch(path, options);
}

class PolledWatch implements FileWatch {
  readonly #folder: string;
  readonly #name: string;
  readonly #path: string;
  readonly #options: Required<Omit<WatchOptions, 'onChange'>> & { onChange: () => void };
  #watcher: FSWatcher | null = null;
  #folderId: string | null = null;
  #fileId: string | null = null;
  #seenOnce = false;
  #pollTimer: NodeJS.Timeout | null = null;
  #reportTimer: NodeJS.Timeout | null = null;
  #pending = false;
  #closed = false;
  readonly #waiters = new Set<(result: WatchResult) => void>();

  constructor(path: string, options: WatchOptions) {
    this.#path = path;
    this.#folder = dirname(path);
    this.#name = basename(path);
    this.#options = {
      pollMs: options.pollMs ?? 1500,
      coalesceMs: options.coalesceMs ?? 15,
      onChange: options.onChange ?? (() => undefined),
    };
    // Armed at once, so that a change right after this constructor is reported; the first look follows.
    this.#arm();
    void this.#look();
  }

  next(timeoutMs: number, signal?: AbortSignal): Promise<WatchResult> {
    if (this.#closed) return Promise.resolve('closed');
    if (this.#pending) {
      this.#pending = false;
      return Promise.resolve('changed');
    }
    if (signal?.aborted === true) return Promise.resolve('timeout');
    return new Promise((resolve) => {
      const finish = (result: WatchResult): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', onAbort);
        this.#waiters.delete(finish);
        resolve(result);
      };
      const onAbort = (): void => finish('timeout');
      const timer = setTimeout(() => finish('timeout'), timeoutMs);
      signal?.addEventListener('abort', onAbort, { once: true });
      this.#waiters.add(finish);
    });
  }

  close(): void {
    this.#closed = true;
    if (this.#pollTimer !== null) clearTimeout(this.#pollTimer);
    if (this.#reportTimer !== null) clearTimeout(this.#reportTimer);
    this.#watcher?.close();
    this.#watcher = null;
    // A set may lose members while it is walked.
    for (const finish of this.#waiters) finish('closed');
  }

  #arm(): void {
    this.#watcher?.close();
    this.#watcher = null;
    try {
      this.#watcher = watch(this.#folder, (_event, name) => {
        // Without a name anything may have changed.
        if (name === null || name === this.#name) this.#report();
      });
      // For example when the folder is deleted; the next look arms again.
      this.#watcher.on('error', () => {
        this.#folderId = null;
      });
    } catch {
      this.#folderId = null;
    }
  }

  async #look(): Promise<void> {
    const [folderId, fileId] = await Promise.all([identity(this.#folder, false), identity(this.#path, true)]);
    if (this.#closed) return;
    if (folderId !== this.#folderId) {
      if (this.#seenOnce && folderId !== null) this.#arm();
      this.#folderId = folderId;
    }
    if (this.#seenOnce && fileId !== this.#fileId) this.#report();
    this.#fileId = fileId;
    this.#seenOnce = true;
    this.#pollTimer = setTimeout(() => void this.#look(), this.#options.pollMs);
  }

  #report(): void {
    if (this.#closed || this.#reportTimer !== null) return;
    this.#reportTimer = setTimeout(() => void this.#tell(), this.#options.coalesceMs);
  }

  async #tell(): Promise<void> {
    // Before anybody is told: what happens after this moment is found by the next look.
    const fileId = await identity(this.#path, true);
    this.#reportTimer = null;
    if (this.#closed) return;
    this.#fileId = fileId;
    const waiters = [...this.#waiters];
    this.#pending = waiters.length === 0;
    for (const finish of waiters) finish('changed');
    this.#options.onChange();
  }
}

/** What tells one state of a file (or one folder) from another; null when it is not there. */
async function identity(path: string, withContent: boolean): Promise<string | null> {
  try {
    const stats = await stat(path, { bigint: true });
    const place = `${stats.dev}:${stats.ino}`;
    return withContent ? `${place}:${stats.mtimeNs}:${stats.size}` : place;
  } catch {
    return null;
  }
}
