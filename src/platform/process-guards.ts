/**
 * Errors that no `await` saw end the process through `report`, which must not throw.
 * A reader that goes away (`rollout-bench doctor | head`) is no error.
 */
export function guardProcess(report: (error: unknown) => void): void {
  process.on('uncaughtException', report);
  process.on('unhandledRejection', report);
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') report(error);
    });
  }
}
