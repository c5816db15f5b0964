import { StringDecoder } from 'node:string_decoder';
import { errorOf, type RbError } from '../errors/rb-error.ts';

/** What tells whether a text names a cell that may be held out (the mask of the held-out cells does). */
export interface TextScreen {
  readonly finds: (text: string) => boolean;
}

/** How a hit is called in manifests and messages. */
const HELD_OUT_KIND = 'a cell that is not asked for openly';

/** Longer than anything that is looked for: two ids that belong together, a language. */
const OVERLAP = 8192;

/** A screen for a file that is read in pieces. Without a screen nothing is ever found. */
export function streamScreen(screen: TextScreen | null): {
  feed(chunk: Uint8Array): void;
  /** Empty, or the kind of the hit; never the text itself. */
  found(): readonly string[];
} {
  const decoder = new StringDecoder('utf8');
  let tail = '';
  let hit = false;
  return {
    feed(chunk) {
      if (screen === null || hit) return;
      const text = tail + decoder.write(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength));
      hit = screen.finds(text);
      tail = text.slice(-OVERLAP);
    },
    found: () => (hit ? [HELD_OUT_KIND] : []),
  };
}

/** @throws RbError RB846 (exit 3) when a text that is about to leave the host names a cell that may be held out. */
export function refuseHeldOut(name: string, text: string, screen: TextScreen | null): void {
  if (screen?.finds(text) === true) throw heldOutRefusal(name);
}

/** RB846 (exit 3) for a text in which one was found. */
export function heldOutRefusal(name: string): RbError {
  return errorOf('RB846', {
    where: name,
    message: 'The text names a cell or task that is not asked for openly, so it was not published.',
    fix: 'Read it on the host, find out what put the cell there, and measure again.',
  });
}
