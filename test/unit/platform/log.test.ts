import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { actionsLog } from '../../../src/platform/actions-log.ts';
import { printable, withoutCommands } from '../../../src/platform/log-text.ts';
import { quietLog } from '../../../src/platform/silent-log.ts';
import { PROGRESS_INTERVAL_MS, terminalLog } from '../../../src/platform/terminal-log.ts';

interface Screen {
  readonly written: () => string;
  readonly log: ReturnType<typeof terminalLog>;
  readonly advance: (ms: number) => void;
}

function screen(stream: { isTTY: boolean; columns?: number }, env: Record<string, string> = {}): Screen {
  const parts: string[] = [];
  let time = 0;
  const log = terminalLog({
    stream: { ...stream, write: (text) => parts.push(text) },
    env,
    now: () => time,
    redact: (text) => text.replaceAll('hunter22', '***'),
  });
  return {
    log,
    written: () => parts.join(''),
    advance: (ms) => {
      time += ms;
    },
  };
}

describe('text for the log', () => {
  it('keeps line breaks and tabs, and writes other control characters out', () => {
    expect(printable('a\r\nb\tc\u001b[2Kd\u0000\u009b')).toBe('a\nb\tc\\u001b[2Kd\\u0000\\u009b');
  });

  it('never contains what a runner would obey', () => {
    const nasty = fc.stringMatching(/^[:#[\]\n\t a]{0,20}$/);
    fc.assert(
      fc.property(nasty, (text) => {
        for (const line of withoutCommands(text).split('\n')) {
          expect(line.trimStart().startsWith('::')).toBe(false);
          expect(line.includes('##[')).toBe(false);
        }
      }),
    );
  });
});

describe('terminal log', () => {
  it('writes no escape sequence into a file or pipe', () => {
    const { log, written } = screen({ isTTY: false });
    log.group('task 3');
    log.warning('slow');
    log.progress('1/10');
    log.error('gone');
    log.endGroup();
    expect(written()).toBe('task 3\nwarning: slow\n1/10\nerror: gone\n');
  });

  it('says warnings and errors alone when it is to be quiet', () => {
    const { log, written } = screen({ isTTY: true }, { NO_COLOR: '1' });
    const quiet = quietLog(log);
    quiet.group('task 3');
    quiet.info('fine');
    quiet.progress('1/10');
    quiet.warning('slow');
    quiet.error('gone');
    quiet.endGroup();
    expect(written()).toBe('warning: slow\nerror: gone\n');
  });

  it('takes the progress line away when it is over', () => {
    const { log, written } = screen({ isTTY: true });
    log.progress('1/10');
    log.progress('');
    log.info('done');
    expect(written().endsWith('\r\u001b[2Kdone\n')).toBe(true);
    expect(written().endsWith('1/10')).toBe(false);
  });

  it('lets no text issue a command where the runner of a workflow reads it', () => {
    const nasty = 'task\n::error::boom\n##[group]x';
    const step = screen({ isTTY: false }, { GITHUB_ACTIONS: 'true' });
    step.log.info(nasty);
    expect(step.written()).toBe('task\n: :error::boom\n# #[group]x\n');
    const shell = screen({ isTTY: false });
    shell.log.info(nasty);
    expect(shell.written()).toBe(`${nasty}\n`);
  });

  it('thins progress out where no line can be replaced', () => {
    const { log, written, advance } = screen({ isTTY: false });
    log.progress('1/10');
    advance(PROGRESS_INTERVAL_MS - 1);
    log.progress('2/10');
    advance(1);
    log.progress('3/10');
    expect(written()).toBe('1/10\n3/10\n');
  });

  it('replaces the progress line on a terminal and puts messages above it', () => {
    const { log, written } = screen({ isTTY: true, columns: 20 });
    log.progress('1/10');
    log.info('episode done');
    log.progress('a line that is longer than the terminal');
    expect(written()).toBe('\r\u001b[2K1/10\r\u001b[2Kepisode done\n1/10\r\u001b[2Ka line that is long');
  });

  it('colours only where the user has not asked otherwise', () => {
    const coloured = screen({ isTTY: true });
    coloured.log.error('gone');
    expect(coloured.written()).toContain('\u001b[31merror:\u001b[0m gone');
    for (const env of [{ NO_COLOR: '1' }, { TERM: 'dumb' }]) {
      const plain = screen({ isTTY: true }, env);
      plain.log.error('gone');
      expect(plain.written()).toBe('error: gone\n');
    }
  });

  it('masks secrets and escape sequences of foreign texts', () => {
    const { log, written } = screen({ isTTY: true }, { NO_COLOR: '1' });
    log.info('token hunter22 \u001b]0;title\u0007');
    expect(written()).toBe('token *** \\u001b]0;title\\u0007\n');
  });
});

describe('log of a workflow step', () => {
  afterEach(() => {
    vi.restoreAllMocks();
  });

  function lines(write: (log: ReturnType<typeof actionsLog>) => void): string {
    const parts: string[] = [];
    vi.spyOn(process.stdout, 'write').mockImplementation((chunk) => {
      parts.push(String(chunk));
      return true;
    });
    write(actionsLog({ now: () => 0, redact: (text) => text.replaceAll('hunter22', '***') }));
    return parts.join('');
  }

  it('makes annotations and groups', () => {
    const written = lines((log) => {
      log.group('task 3\n::stop-commands::x');
      log.warning('slow\nhost hunter22');
      log.error('gone');
      log.endGroup();
    });
    expect(written.split('\n')).toEqual([
      '::group::task 3 ::stop-commands::x',
      '::warning::slow%0Ahost ***',
      '::error::gone',
      '::endgroup::',
      '',
    ]);
  });

  it('lets no text of a document issue a command', () => {
    expect(lines((log) => log.info('  ::add-mask::a\n##[error]b'))).toBe('  : :add-mask::a\n# #[error]b\n');
  });

  it('writes progress at most once in half a minute', () => {
    const written = lines((log) => {
      log.progress('1/10');
      log.progress('2/10');
    });
    expect(written).toBe('1/10\n');
  });
});
