import { noteCrash } from './crash-notes.ts';

/**
 * Errors that no `await` saw end the process through `report`, which must not throw.
 * A reader that goes away (`rollout-bench doctor | head`) is no error.
 */
export function guardProcess(report: (error: unknown) => void): void {
  const last = (error: unknown): void => {
    noteCrash(error);
    report(error);
  };
  process.on('uncaughtException', last);
  process.on('unhandledRejection', last);
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') last(error);
    });
  }
}
