import { errorOf, RbError } from '../../errors/rb-error.ts';
import type { Clock, Log } from '../../platform/ports.ts';

/** Silence of this length is worth a word. */
const SILENT_MS = 5_000;
const LOOK_EVERY_MS = 2_000;
const TELL_EVERY_MS = 60_000;

/** How long a server that accepts connections may keep silent while no session keeps it busy: it builds its simulator. */
export const COLD_MS = 120_000;

/** How long a connection may take to be accepted; whatever a server does, its system accepts at once. */
export const CONNECT_MS = 10_000;

export interface ServerQuestion<Answer> {
  /** As people know it: `target at targetws://…`. */
  readonly server: string;
  /** What it may be doing when nothing else keeps it busy: `builds its simulator`. */
  readonly cold: string;
  /** Asks once, with its own time limit. */
  readonly ask: (signal: AbortSignal) => Promise<Answer>;
  /** The session that keeps the server busy now, null when none does. */
  readonly busyWith: () => Promise<string | null>;
  /** `leave`: a busy server needs no answer. `wait`: it is asked again as long as a session is at work. */
  readonly whenBusy: 'leave' | 'wait';
  /** Longest wait for a busy server in milliseconds, from the beginning. */
  readonly waitMs: number;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
}

/**
 * Asks a server that may be busy or cold, and says what is waited for. Refused is dead at once; accepted and silent is
 * busy while a session is at work on it, else cold until the question's own time limit, then dead.
 * @throws RbError RB327 (exit 3) for a busy server with `leave`, else what the question throws.
 */
export async function askServer<Answer>(question: ServerQuestion<Answer>): Promise<Answer> {
  const { ask, busyWith, whenBusy, waitMs, clock, signal } = question;
  const began = clock.now();
  for (;;) {
    const silence = new AbortController();
    const watch = watchSilence(question, silence, began);
    try {
      return await ask(AbortSignal.any([signal, silence.signal]));
    } catch (error) {
      const again = whenBusy === 'wait' && isSilence(error) && clock.now() - began < waitMs;
      if (!again || signal.aborted || (await busyWith()) === null) throw error;
    } finally {
      silence.abort();
      await watch;
    }
  }
}

/** A server that accepted the connection and said nothing: RB321 of a target, RB351 of a policy is for every bad answer. */
function isSilence(error: unknown): boolean {
  return error instanceof RbError && error.problems.every(({ code }) => code === 'RB321');
}

async function watchSilence<Answer>(
  question: ServerQuestion<Answer>,
  silence: AbortController,
  beganMs: number,
): Promise<void> {
  const { server, cold, busyWith, whenBusy, clock, log } = question;
  let told: { readonly reason: string; readonly atMs: number } | null = null;
  await clock.sleep(SILENT_MS, silence.signal);
  while (!silence.signal.aborted) {
    const session = await busyWith();
    if (silence.signal.aborted) return;
    if (session !== null && whenBusy === 'leave') {
      silence.abort(busyServer(server, session));
      return;
    }
    const reason =
      session === null
        ? `it accepts connections and is silent; perhaps it ${cold}`
        : `it is busy with session ${session}`;
    const now = clock.now();
    if (told === null || told.reason !== reason || now - told.atMs >= TELL_EVERY_MS) {
      log.info(`Waiting for the ${server} for ${Math.round((now - beganMs) / 1000)} s: ${reason}.`);
      told = { reason, atMs: now };
    }
    await clock.sleep(LOOK_EVERY_MS, silence.signal);
  }
}

function busyServer(server: string, session: string): RbError {
  return errorOf('RB327', {
    where: server,
    message: `it accepts connections and does not answer while session ${session} is at work.`,
  });
}
