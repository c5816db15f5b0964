/**
 * Errors that no `await` saw end the process through `report`, which must not throw. Whoever is at work hears of it first, by
 * the event `uncaughtExceptionMonitor`. A reader that goes away (`rollout-bench doctor | head`) is no error.
 */
export function guardProcess(report: (error: unknown) => void): void {
  // Node tells the listeners by itself only of what was thrown.
  const last = (error: unknown): void => {
    const told = error instanceof Error ? error : new Error(String(error), { cause: error });
    process.emit('uncaughtExceptionMonitor', told);
    report(error);
  };
  process.on('uncaughtException', report);
  process.on('unhandledRejection', last);
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') last(error);
    });
  }
}
