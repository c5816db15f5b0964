import { type Command, journal, ledger, type Purpose, type WithdrawalCause } from './commands.ts';
import type { SessionsEdited } from './edits.ts';
import { isLive } from './run-memory.ts';
import { keepTargetsForNow } from './standing-targets.ts';
import { type Decision, type Now, type State, warned } from './state.ts';

/** One try for the lock when a run is interrupted; the runner kills the process a few seconds later. */
const INTERRUPTED_LOCK_MS = 2_000;
/** Otherwise there is time for one slow transition of the watchdog. */
const LOCK_MS = 60_000;

/** Takes back our pending entries before the watchdog claims them. Claimed and running ones are never touched. */
export function withdrawPending(state: State, on: WithdrawalCause, reason: string, now: Now): Decision {
  const ids = state.memory
    .open()
    .filter(isLive)
    .map(({ sessionId }) => sessionId);
  if (ids.length === 0) return { change: outNow(state, on) };
  return {
    commands: [
      {
        type: 'edit_sessions',
        edit: { append: [], remove: ids.map((id) => ({ id, when: 'pending' })) },
        purpose: { for: 'withdraw', on, reason },
        timeoutMs: now.interrupted ? INTERRUPTED_LOCK_MS : LOCK_MS,
        slowestTransitionMs: state.meters.slowestTransitionMs,
      },
    ],
  };
}

function outNow({ givingWay }: State, on: WithdrawalCause): Partial<State> {
  if (on === 'yield') return { givingWay: { ...givingWay, isOut: true } };
  return on === 'stop' || on === 'cap' ? { withdrawn: true } : {};
}

/**
 * Reaction: writes down what is out of the queue. Without the lock the entries stay, and the ledger knows them; a run
 * that stopped admitting tries again in its next round.
 */
export function withdrawn(
  state: State,
  { on, reason }: Extract<Purpose, { for: 'withdraw' }>,
  edited: SessionsEdited | null,
  now: Now,
): Decision {
  if (edited === null)
    return on === 'end'
      ? warned(
          state,
          'SESSIONS.md stayed locked: our pending sessions are still queued. `clean` takes them out.',
        )
      : {};
  const { runId } = state.job;
  const { bytes: documentBytes } = edited;
  const gone = [...edited.removals]
    .filter(([, result]) => result !== 'busy')
    .flatMap(([id]) => state.memory.sessions.get(id) ?? []);
  const kept = keepTargetsForNow(state, gone, { atMs: now.ms, documentBytes });
  const commands = [...edited.removals].flatMap(([sessionId, result]): Command[] => {
    if (result === 'removed') {
      return [
        journal({ type: 'cancelled', sessionId, reason }),
        ledger({ type: 'withdrawn', runId, sessionId, documentBytes }),
      ];
    }
    if (result !== 'absent' || state.memory.sessions.get(sessionId)?.phase !== 'intent') return [];
    return [
      journal({ type: 'discarded', sessionId, reason: 'announced, but never queued' }),
      ledger({ type: 'released', runId, sessionId, how: 'never_queued' }),
    ];
  });
  return { change: { ...outNow(state, on), ...kept }, commands };
}
