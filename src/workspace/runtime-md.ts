/** What RUNTIME.md tells about the runtime. It is a text for people and agents; nothing in it is a rule for us. */
export interface RuntimeNotes {
  /** `august` when it describes verification contracts, which only that runtime knows; null when it does not. */
  readonly dialect: 'august' | null;
  /** Keys of the session in its example, in their order; empty without an example. */
  readonly sessionKeys: readonly string[];
}

/** Reads RUNTIME.md, which may have any content; never fails. */
export function parseRuntimeNotes(text: string): RuntimeNotes {
  const keys: string[] = [];
  const example = /^sessions:[ \t]*\r?\n( *)- session_id:/m.exec(text);
  if (example !== null) {
    const indent = (example[1] ?? '').length;
    for (const line of text.slice(example.index).split(/\r?\n/).slice(1)) {
      if (/^(?:`{3,}|~{3,})/.test(line)) break;
      const key = new RegExp(`^ {${indent}}(?:- |  )([A-Za-z_]\\w*):`).exec(line)?.[1];
      if (key !== undefined) keys.push(key);
    }
  }
  return { dialect: keys.includes('verification') ? 'august' : null, sessionKeys: keys };
}
