import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface, type Interface } from 'node:readline';

/**
 * The watchdog's own handle on the flock of SESSIONS.md.
 *
 * The real watchdog calls flock(2) six times a session at no cost. Starting a program for each would dominate the few
 * milliseconds a simulated episode takes, so one shell stays alive, opens the lock file on request, lets `flock` take the
 * lock on that descriptor, and drops it by closing. When this process dies, the shell reads end of file and ends: the
 * kernel frees the lock.
 */
const SCRIPT =
  'while read -r word; do case $word in lock) exec 3>>"$1" && flock -x 3;; free) exec 3>&-;; esac; echo "$?"; done';

export class SessionLock {
  readonly #path: string;
  #shell: ChildProcess | null = null;
  #answers: AsyncIterator<string> | null = null;
  #lines: Interface | null = null;

  constructor(path: string) {
    this.#path = path;
  }

  /** Runs `body` while holding the lock; waits for it without limit, as the watchdog does. Calls must not overlap. */
  async hold<T>(body: () => T | Promise<T>): Promise<T> {
    await this.#say('lock');
    try {
      return await body();
    } finally {
      await this.#say('free');
    }
  }

  /** Ends the helper, and with it any lock or wait. */
  close(): void {
    this.#shell?.kill('SIGKILL');
    this.#lines?.close();
    this.#shell = null;
    this.#answers = null;
  }

  async #say(word: 'lock' | 'free'): Promise<void> {
    const answers = this.#answers ?? (await this.#start());
    this.#shell?.stdin?.write(`${word}\n`);
    const answer = await answers.next();
    if (answer.done === true) throw new Error('the lock helper has ended');
    if (answer.value !== '0')
      throw new Error(`the lock helper could not ${word} ${this.#path} (${answer.value})`);
  }

  async #start(): Promise<AsyncIterator<string>> {
    const shell = spawn('sh', ['-c', SCRIPT, 'session-lock', this.#path], {
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    await once(shell, 'spawn');
    shell.stdin.on('error', () => undefined);
    this.#shell = shell;
    this.#lines = createInterface({ input: shell.stdout });
    this.#answers = this.#lines[Symbol.asyncIterator]();
    return this.#answers;
  }
}
