import { printable, withoutCommands } from './log-text.ts';
import type { Log } from './ports.ts';

/** The part of a Node stream this log needs; `isTTY` decides on colours and the live line. */
interface LogStream {
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
  write(text: string): unknown;
}

interface TerminalLogOptions {
  readonly stream: LogStream;
  /** Environment: NO_COLOR and TERM=dumb switch colours and the live line off. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Milliseconds; used to thin out progress lines where no terminal can replace them. */
  readonly now: () => number;
  readonly redact: (text: string) => string;
}

/** Between two progress lines in a file or pipe. */
export const PROGRESS_INTERVAL_MS = 15_000;

const CLEAR_LINE = '\r\u001b[2K';
const FALLBACK_COLUMNS = 80;
const STYLE = { red: 31, yellow: 33, bold: 1 } as const;

/** Log for people at a terminal, or for a file: messages on one stream (stderr), so that stdout carries only results. */
export function terminalLog(options: TerminalLogOptions): Log {
  const { stream, env, redact } = options;
  const live = stream.isTTY === true && env['TERM'] !== 'dumb';
  const colours = live && (env['NO_COLOR'] ?? '') === '';
  const dueProgress = everyInterval(options.now);
  let progressLine = '';

  const styled = (text: string, style: keyof typeof STYLE): string =>
    colours ? `\u001b[${STYLE[style]}m${text}\u001b[0m` : text;
  // A `run:` step of a workflow obeys `::commands` on either stream.
  const inWorkflow = env['GITHUB_ACTIONS'] === 'true';
  const clean = (message: string): string => {
    const text = printable(redact(message));
    return inWorkflow ? withoutCommands(text) : text;
  };
  const line = (text: string): void => {
    stream.write(progressLine === '' ? `${text}\n` : `${CLEAR_LINE}${text}\n${progressLine}`);
  };
  const endProgress = (): void => {
    if (progressLine !== '') stream.write(CLEAR_LINE);
    progressLine = '';
  };

  return {
    info: (message) => line(clean(message)),
    warning: (message) => line(`${styled('warning:', 'yellow')} ${clean(message)}`),
    error: (message) => {
      endProgress();
      line(`${styled('error:', 'red')} ${clean(message)}`);
    },
    group: (title) => {
      endProgress();
      line(styled(clean(title), 'bold'));
    },
    endGroup: endProgress,
    progress: (message) => {
      if (message === '') return endProgress();
      const text = clean(message).replaceAll('\n', ' ');
      if (!live) {
        if (dueProgress()) stream.write(`${text}\n`);
        return;
      }
      progressLine = text.slice(0, (stream.columns ?? FALLBACK_COLUMNS) - 1);
      stream.write(CLEAR_LINE + progressLine);
    },
  };
}

/** True at the first call and then at most once per interval. */
export function everyInterval(now: () => number, intervalMs = PROGRESS_INTERVAL_MS): () => boolean {
  let last = Number.NEGATIVE_INFINITY;
  return () => {
    const time = now();
    if (time - last < intervalMs) return false;
    last = time;
    return true;
  };
}
