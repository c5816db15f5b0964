import { describe, expect, it } from 'vitest';
import { jobProgress } from '../../../../src/job/measure/job-progress.ts';
import { terminalLog } from '../../../../src/platform/terminal-log.ts';
import type { Progress } from '../../../../src/queue/execution.ts';
import { KeptLog } from '../../../contract/github/loopback/client-for.ts';
import { makePlan } from '../../outcome/plan-builder.ts';

const progress = (change: Partial<Progress>): Progress => ({
  ...{ done: 0, total: 50, counts: [], leftMs: null, state: 'running t3-i7-r0-candidate', notice: false },
  ...{ last: null, ...change },
});

/** A terminal of 120 columns; what is on its last line is what comes after the last line break or clearing. */
function terminal() {
  let written = '';
  const stream = { isTTY: true, columns: 120, write: (text: string) => (written += text) };
  const log = terminalLog({ stream, env: {}, now: () => 0, redact: (text) => text });
  // biome-ignore lint/suspicious/noControlCharactersInRegex: what a terminal obeys
  return { log, lines: () => written.split('\n').map((line) => line.split(/\r\u001b\[2K/).at(-1)) };
}

describe('the progress of a run', () => {
  it('is rate, interval, time left and the running cell, on one line', () => {
    const { log, lines } = terminal();
    const counts = [{ arm: 'candidate', successes: 9, valid: 11 }] as const;
    const { report } = jobProgress(makePlan(), log);
    report(progress({}));
    report(progress({ done: 12, counts, leftMs: 180_000 }));
    expect(lines()).toEqual([
      `${makePlan().suite} 12/50, 81.8% (9/11), 52.3–94.9, about 3 min left; running t3-i7-r0-candidate`,
    ]);
  });

  it('tells two policies apart', () => {
    const { log, lines } = terminal();
    const counts = [
      { arm: 'candidate', successes: 1, valid: 2 },
      { arm: 'baseline', successes: 2, valid: 2 },
    ] as const;
    jobProgress(makePlan({ arms: ['candidate', 'baseline'] }), log).report(progress({ done: 4, counts }));
    expect(lines()[0]).toContain(
      ' 4/50, candidate 50.0% (1/2), 9.5–90.5, baseline 100.0% (2/2), 34.2–100.0; ',
    );
  });

  it('leaves no line that says that something runs, and tells how far it came', () => {
    const { log, lines } = terminal();
    const { report, end } = jobProgress(makePlan(), log);
    report(progress({ done: 49 }));
    const counts = [{ arm: 'candidate', successes: 45, valid: 50 }] as const;
    report(progress({ done: 50, counts, state: 'every cell is done' }));
    end();
    log.info('Sealed.');
    expect(lines()).toEqual([`${makePlan().suite} 50/50, 90.0% (45/50), 78.6–95.7`, 'Sealed.', '']);
  });

  it('says the end where progress is thinned out, too', () => {
    let written = '';
    const stream = { write: (text: string) => (written += text) };
    const log = terminalLog({ stream, env: {}, now: () => 0, redact: (text) => text });
    const { report, end } = jobProgress(makePlan(), log);
    for (let done = 0; done <= 50; done++) report(progress({ done }));
    end();
    expect(written.trimEnd().split('\n').at(-1)).toBe(`${makePlan().suite} 50/50`);
  });

  it('says nothing of a run that never began', () => {
    const log = new KeptLog();
    jobProgress(makePlan(), log).end();
    expect(log.lines).toEqual([]);
  });
});
