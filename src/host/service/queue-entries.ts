import { ZodError } from 'zod';
import { parseSessions, type Session, sessionForWriting } from '../session-schema.ts';
import type { ListDocument } from './list-document.ts';

/** One entry of SESSIONS.md as the service sees it. */
export interface QueueEntry {
  /** Place in the list. */
  readonly index: number;
  /** Null when the entry has none that is text. */
  readonly id: string | null;
  /** As it stands; `pending` when the entry names none, as the runtime takes it. */
  readonly status: string | null;
  /** With all defaults; null for an entry that the runtime would refuse. */
  readonly session: Session | null;
  /** What is wrong with it, in one line; null when nothing is. */
  readonly fault: string | null;
}

type Known = Omit<QueueEntry, 'index'>;

/** Longest text of a fault. */
const MAX_FAULT = 500;

/** Parses each entry by itself, so that a bad one is only its own fault, and each text once. */
export class EntryReader {
  readonly #known = new WeakMap<object, Known>();

  entries({ items }: ListDocument): readonly QueueEntry[] {
    return items.map(({ value }, index) => ({ index, ...this.#entry(value) }));
  }

  /** The value to write for a session, which is then known without being read. */
  valueOf(session: Session): unknown {
    const value = sessionForWriting(session);
    if (typeof value === 'object' && value !== null) this.#known.set(value, sound(session));
    return value;
  }

  #entry(value: unknown): Known {
    if (typeof value !== 'object' || value === null) return broken({}, 'the entry is not a mapping');
    const known = this.#known.get(value) ?? parsed(value);
    this.#known.set(value, known);
    return known;
  }
}

function parsed(value: object): Known {
  try {
    const [session] = parseSessions({ sessions: [value] }, 'august').sessions;
    return session === undefined ? broken(value, 'the entry is empty') : sound(session);
  } catch (error) {
    if (error instanceof ZodError) return broken(value, faultText(error));
    throw error;
  }
}

function sound(session: Session): Known {
  return { id: session.session_id, status: session.status, session, fault: null };
}

function broken(value: object, fault: string): Known {
  const fields = new Map<string, unknown>(Object.entries(value));
  const id = fields.get('session_id');
  const status = fields.get('status') ?? 'pending';
  return {
    id: typeof id === 'string' ? id : null,
    status: typeof status === 'string' ? status : null,
    session: null,
    fault,
  };
}

/** `routing.x: Unrecognized key …; status: …`, without the entry's own place in the list. */
function faultText(error: ZodError): string {
  const lines = error.issues.map(({ path, message }) => {
    const place = path.slice(2).join('.');
    return place === '' ? message : `${place}: ${message}`;
  });
  return lines.join('; ').slice(0, MAX_FAULT);
}
