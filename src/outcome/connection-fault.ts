import type { Outcome } from '../model/episode-record.ts';
import { lateStep } from './late-answer.ts';

/**
 * How a session lost target or policy. `refused`: nobody took its connection. `lost`: an open connection broke. `late`:
 * no answer came in time, which a slow policy does as well as a server that hangs.
 */
export type ConnectionFault = 'refused' | 'lost' | 'late';

/** What of a session tells how it ended. */
interface EndedSession {
  readonly outcome: Outcome;
  readonly errorCode: string | null;
  readonly errorMessage: string | null;
}

const TIMED_OUT = /timed out/i;
const CONNECTING = /^failed to connect\b/;
/** A server that closes properly leaves an empty text in place of its answer. */
const EMPTY_ANSWER = /^policy server returned text (?:error|metadata):\s*$/;
const TARGET_CALL = /^target RPC \S+ failed: (.*)$/s;
/** As the runtime's WebSocket library words it; the last one is the empty text again. */
const BROKEN = /\b(?:lost|closed|reset|refused|broken pipe)\b|not 'str'$/i;

/**
 * The connection error of a session, by the texts of the runtime's own clients; null for any other end. Pure. It says
 * what the session met, not whose fault it was: the server may have been stopped, or the episode may have ended it.
 */
export function connectionFault({ outcome, errorCode, errorMessage }: EndedSession): ConnectionFault | null {
  if (outcome !== 'error') return null;
  const message = errorMessage ?? '';
  switch (errorCode) {
    case 'TARGET_CONNECTION':
      return CONNECTING.test(message) ? lateOr('refused', message) : null;
    case 'POLICY_CONNECTION':
      if (CONNECTING.test(message)) return lateOr('refused', message);
      return message.startsWith('policy inference') ? lateOr('lost', message) : null;
    case 'POLICY_TIMEOUT':
      return 'late';
    case 'POLICY_PROTOCOL':
      return EMPTY_ANSWER.test(message) ? 'lost' : null;
    case 'TARGET_PROTOCOL': {
      if (lateStep(message) !== null) return 'late';
      const cause = TARGET_CALL.exec(message)?.[1];
      return cause !== undefined && BROKEN.test(cause) ? 'lost' : null;
    }
    default:
      return null;
  }
}

function lateOr(fault: ConnectionFault, message: string): ConnectionFault {
  return TIMED_OUT.test(message) ? 'late' : fault;
}
