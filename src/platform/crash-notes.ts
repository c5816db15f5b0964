/** Called when the process is about to end by a bug; must not wait for anything and must not throw. */
type CrashNote = (error: unknown) => void;

/**
 * Does `work`; while it runs, a failure of it and a crash of the whole process (see `guardProcess`) both call `note` once,
 * before anything else happens. The error goes on unchanged.
 */
export async function withCrashNote<T>(note: CrashNote, work: () => Promise<T>): Promise<T> {
  let isNoted = false;
  const once: CrashNote = (error) => {
    if (isNoted) return;
    isNoted = true;
    note(error);
  };
  process.on('uncaughtExceptionMonitor', once);
  try {
    return await work();
  } catch (error) {
    once(error);
    throw error;
  } finally {
    process.off('uncaughtExceptionMonitor', once);
  }
}
