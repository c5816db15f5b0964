import type { ArchivedFile, JournalEvent, JournalRecord } from '../model/journal-events.ts';

/** Texts that many records of a journal have, each kept once: the id of a session alone is in six of them. */
export class SharedTexts {
  readonly #ids = new Map<string, string>();
  readonly #names = new Map<string, string>();
  #time = '';

  /** The same record with its repeated texts shared. */
  inRecord({ at, event }: JournalRecord): JournalRecord {
    // Events that were written together have one time.
    if (at !== this.#time) this.#time = at;
    return { at: this.#time, event: this.#inEvent(event) };
  }

  #inEvent(event: JournalEvent): JournalEvent {
    if (!('sessionId' in event)) return event;
    const sessionId = shared(this.#ids, event.sessionId);
    if (event.type === 'intent' || event.type === 'adopted')
      return { ...event, sessionId, cellTarget: shared(this.#names, event.cellTarget) };
    if (event.type !== 'collected') return { ...event, sessionId };
    return { ...event, sessionId, files: event.files.map((file) => this.#inFile(file)) };
  }

  #inFile({ name, ...digest }: ArchivedFile): ArchivedFile {
    return { name: shared(this.#names, name), ...digest };
  }
}

function shared(known: Map<string, string>, text: string): string {
  const found = known.get(text);
  if (found !== undefined) return found;
  known.set(text, text);
  return text;
}
