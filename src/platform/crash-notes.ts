/** Called when the process is about to end by a bug; must not wait for anything and must not throw. */
type CrashNote = (error: unknown) => void;

const notes = new Set<CrashNote>();

/**
 * Does `work`; while it runs, a failure of it and a crash of the whole process both call `note` once, before anything
 * else happens. The error goes on unchanged.
 */
export async function withCrashNote<T>(note: CrashNote, work: () => Promise<T>): Promise<T> {
  let isNoted = false;
  const once: CrashNote = (error) => {
    if (isNoted) return;
    isNoted = true;
    note(error);
  };
  notes.add(once);
  try {
    return await work();
  } catch (error) {
    once(error);
    throw error;
  } finally {
    notes.delete(once);
  }
}

/** For the process' last handlers: whoever is at work writes down that it did not come to its end. */
export function noteCrash(error: unknown): void {
  for (const note of notes) note(error);
}
