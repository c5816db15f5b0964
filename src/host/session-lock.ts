import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface, type Interface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';

/**
 * The watchdog's own handle on the flock of SESSIONS.md.
 *
 * The real watchdog calls flock(2) six times a session at no cost. Starting a program for each would dominate the few
 * milliseconds a simulated episode takes, so one helper stays alive, opens the lock file on request, takes the lock on
 * that descriptor, and drops it by closing. When this process dies, the helper reads end of file and ends: the kernel
 * frees the lock. Perl locks by itself (0.3 ms a turn); where it is missing, a shell starts `flock` each time (3 ms).
 */
const HELPERS: readonly (readonly [string, readonly string[]])[] = [
  [
    'perl',
    [
      '-e',
      '$|=1; while(<STDIN>){ if(/lock/){ open(F,">>",$ARGV[0]) && flock(F,2) or exit 1 } else { close F } print "0\n" }',
    ],
  ],
  [
    'sh',
    [
      '-c',
      'while read -r word; do case $word in lock) exec 3>>"$1" && flock -x 3;; free) exec 3>&-;; esac; echo "$?"; done',
      'session-lock',
    ],
  ],
];

export class SessionLock {
  readonly #path: string;
  #helper: ChildProcessByStdio<Writable, Readable, null> | null = null;
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
    this.#helper?.kill('SIGKILL');
    this.#lines?.close();
    this.#helper = null;
    this.#answers = null;
  }

  async #say(word: 'lock' | 'free'): Promise<void> {
    // Killed meanwhile: the lock went with the helper.
    if (word === 'free' && this.#helper === null) return;
    const answers = this.#answers ?? (await this.#start());
    this.#helper?.stdin.write(`${word}\n`);
    const answer = await answers.next();
    if (answer.done === true) throw new Error('the lock helper has ended');
    if (answer.value !== '0')
      throw new Error(`the lock helper could not ${word} ${this.#path} (${answer.value})`);
  }

  async #start(): Promise<AsyncIterator<string>> {
    const helper = await startHelper(this.#path);
    helper.stdin.on('error', () => undefined);
    this.#helper = helper;
    this.#lines = createInterface({ input: helper.stdout });
    this.#answers = this.#lines[Symbol.asyncIterator]();
    return this.#answers;
  }
}

async function startHelper(path: string): Promise<ChildProcessByStdio<Writable, Readable, null>> {
  let problem: unknown = null;
  for (const [program, args] of HELPERS) {
    const helper = spawn(program, [...args, path], { stdio: ['pipe', 'pipe', 'ignore'] });
    try {
      await once(helper, 'spawn');
      return helper;
    } catch (error) {
      problem = error;
    }
  }
  throw new Error('neither perl nor sh can be started for the lock', { cause: problem });
}
