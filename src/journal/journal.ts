import * as path from 'node:path';
import { errorCode } from '../base/error-code.ts';
import { errorOf } from '../errors/rb-error.ts';
import { type DurableLines, openDurableLines } from '../files/durable-lines.ts';
import { readWithinNow } from '../files/read-within.ts';
import type { JournalEvent } from '../model/journal-events.ts';
import { chainLine, FIRST_TIP, type JournalReading, readChain } from './chain.ts';

export const JOURNAL_FILE = 'journal.jsonl';

/** The written memory of one attempt. */
export interface Journal {
  /**
   * All events are durable, in this order, when it resolves.
   * @throws RbError RB219 when they cannot be written; from then on nothing is.
   */
  append(...events: readonly JournalEvent[]): Promise<void>;
  close(): Promise<void>;
}

/**
 * Creates `<bundleDir>/journal.jsonl`. `now` gives the record times (milliseconds since 1970).
 * @param mask applied to messages of other programs: no bundle can be sealed without its journal, so a secret in one
 * error message must not get in.
 * @throws RbError RB402 when the folder already has a journal: an attempt is never continued in place.
 */
export async function createJournal(
  bundleDir: string,
  now: () => number,
  mask: (text: string) => string = (text) => text,
): Promise<Journal> {
  const file = path.join(bundleDir, JOURNAL_FILE);
  const lines = await openFresh(file);
  let tip = FIRST_TIP;
  let failure: unknown = null;
  return {
    async append(...events) {
      // What could not be written is missing from the chain, so nothing may follow it.
      if (failure !== null) throw failure;
      const at = new Date(now()).toISOString();
      const texts: string[] = [];
      for (const event of events) {
        const next = chainLine(tip, at, masked(event, mask));
        texts.push(next.line);
        tip = next.tip;
      }
      try {
        await lines.append(texts);
      } catch (error) {
        failure = error;
        throw error;
      }
    },
    close: () => lines.close(),
  };
}

/** Free texts only; ids, hashes and times stay. */
function masked(event: JournalEvent, mask: (text: string) => string): JournalEvent {
  if (event.type === 'warning') return { ...event, message: mask(event.message) };
  if (event.type === 'collected')
    return { ...event, errorMessage: event.errorMessage === null ? null : mask(event.errorMessage) };
  // Asked by key, because six kinds of events have a reason; one is null at a complete end.
  if ('reason' in event && typeof event.reason === 'string') return { ...event, reason: mask(event.reason) };
  if (event.type === 'continued') return { ...event, probe: mask(event.probe) };
  return event;
}

/**
 * Reads and checks the journal of an attempt; an absent one has no records.
 * @throws RbError RB403 when anything but a torn last line is wrong.
 */
export async function readJournal(bundleDir: string): Promise<JournalReading> {
  const file = path.join(bundleDir, JOURNAL_FILE);
  const { text, fault: unreadable } = textIfPresent(bundleDir);
  const reading = readChain(text);
  const fault = unreadable ?? reading.fault;
  if (fault !== null) {
    throw errorOf('RB403', {
      where: file,
      message: `The journal is damaged: ${fault}.`,
    });
  }
  return reading;
}

/** A session leaves 2 kB; whoever has put something else in its place keeps nobody waiting. */
const MAX_JOURNAL_BYTES = 256 * 1024 * 1024;

function textIfPresent(bundleDir: string): { readonly text: string; readonly fault: string | null } {
  const reading = readWithinNow(bundleDir, [JOURNAL_FILE], MAX_JOURNAL_BYTES);
  if (reading.state === 'unreadable') return { text: '', fault: reading.reason };
  return { text: reading.state === 'present' ? reading.bytes.toString('utf8') : '', fault: null };
}

async function openFresh(file: string): Promise<DurableLines> {
  try {
    return await openDurableLines(file, { exclusive: true });
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
    throw errorOf(
      'RB402',
      {
        where: file,
        message: 'This attempt was already started.',
      },
      { cause: error },
    );
  }
}
