import type { JournalEvent } from '../../model/journal-events.ts';
import { connectionFault } from '../../outcome/connection-fault.ts';
import { journal, say } from './commands.ts';
import { isUnweighed, type SessionMemory } from './run-memory.ts';
import type { Decision, State } from './state.ts';

/** So many attempts of a cell are given back in one attempt of the run, lest a cell that stops the server run for ever. */
const GIVEN_BACK_PER_CELL = 3;

/**
 * Decides of the sessions that ended in a connection error since everything last answered whether they used up an
 * attempt of their cells. One made while target or policy was down did not: what is down now was down then, and a refused
 * connection proves it for all errors around it. Every decision is journaled.
 * @param down what does not answer now, in words; null when all answer.
 */
export function weigh(state: State, down: string | null): Decision {
  const sessions = state.memory.judged().slice(state.pause.verified).filter(isUnweighed);
  if (sessions.length === 0) return {};
  const refused = sessions.some(
    ({ judgement }) => judgement !== null && connectionFault(judgement) === 'refused',
  );
  const given = new Map<number, number>();
  const events = sessions.map(({ sessionId, position }): JournalEvent => {
    const before = givenBack(state, position) + (given.get(position) ?? 0);
    if (down === null && !refused) return counted(sessionId, 'target and policy answered right afterwards');
    if (before >= GIVEN_BACK_PER_CELL)
      return counted(sessionId, `${before} attempts of its cell were given back before`);
    given.set(position, (given.get(position) ?? 0) + 1);
    const reason = down === null ? 'a connection was refused at that time' : `down at that time: ${down}`;
    return { type: 'weighed', sessionId, counts: false, reason };
  });
  const back = events.filter((event) => event.type === 'weighed' && !event.counts).length;
  const text = `${back} ${back === 1 ? 'attempt' : 'attempts'} made meanwhile ${back === 1 ? 'does' : 'do'} not count: the cells are tried again.`;
  return {
    commands: [journal(...events), ...(back > 0 ? [say('info', text)] : [])],
  };
}

function counted(sessionId: string, reason: string): JournalEvent {
  return { type: 'weighed', sessionId, counts: true, reason };
}

/** In this attempt of the run; a resume gives each cell its chances anew. */
function givenBack({ memory, job }: State, position: number): number {
  return memory
    .sessionsOf(position)
    .filter(({ weighed, fromAttempt }) => weighed === 'given_back' && fromAttempt === job.attempt).length;
}

/**
 * Rule: a resume tries again what ended in a connection error in an earlier attempt, also when that was weighed as
 * counting: somebody looked at the host meanwhile. What only came too late is tried again when nobody could weigh it any
 * more, since a slow policy does that, too. The host answered just before, so what is over is forgiven.
 */
export function giveBackEarlier({ memory, job, pause }: State): Decision {
  const judged = memory.judged();
  const isDue = (session: SessionMemory): boolean => {
    const { judgement, weighed, fromAttempt } = session;
    if (fromAttempt >= job.attempt || judgement === null || weighed === 'given_back') return false;
    const fault = connectionFault(judgement);
    return fault === 'refused' || fault === 'lost' || isUnweighed(session);
  };
  const reason = `tried again by attempt ${job.attempt} of the run`;
  const events = judged
    .filter(isDue)
    .map(({ sessionId }): JournalEvent => ({ type: 'weighed', sessionId, counts: false, reason }));
  return {
    change: {
      judgedBefore: judged.length,
      givingWay: { to: null, isOut: false, judgedBefore: judged.length },
      pause: { ...pause, verified: judged.length, forgiven: judged.length },
    },
    commands: [journal(...events)],
  };
}

/**
 * Episodes that ended since the first connection error after which nobody had asked yet: they may have been acted by
 * whatever answers now. None of them is taken at its word.
 */
export function doubted({ memory, pause }: State): readonly JournalEvent[] {
  const since = memory.judged().slice(pause.verified);
  const first = since.findIndex(({ judgement }) => judgement !== null && connectionFault(judgement) !== null);
  const reason = 'the policy may have been another one by then';
  return (first < 0 ? [] : since.slice(first))
    .filter(({ judgement }) => judgement?.outcome === 'success' || judgement?.outcome === 'failure')
    .map(({ sessionId }): JournalEvent => ({ type: 'conflict', sessionId, reason }));
}
