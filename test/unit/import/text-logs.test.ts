import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { ROOT } from '../meta/source-files.ts';
import { countsOf, rates, readSample } from './read-sample.ts';

const folder = mkdtempSync(join(tmpdir(), 'rb-logs-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
let files = 0;

function written(content: string | Buffer, name = 'run.log'): string {
  files += 1;
  const file = join(folder, `${files}-${name}`);
  writeFileSync(file, content);
  return file;
}

const sample = (name: string): string => readFileSync(join(ROOT, 'fixtures/foreign', name), 'utf8');
const OPENVLA = sample('log-openvla/EVAL-libero_spatial-openvla-2026_05_20-10_00_00.txt');
const OPENPI = sample('log-openpi/stderr.log');
const ROBOTWIN = sample('robotwin-console/console.log');

interface Episode {
  readonly task: string;
  readonly success: boolean;
  readonly error?: string;
  readonly said?: boolean;
}

/** A log of OpenVLA's script over tasks of `perTask` episodes. */
function openvlaLog(episodes: readonly Episode[], perTask: number, suite = 'libero_90'): string {
  let successes = 0;
  const blocks = episodes.map(({ task, success, error, said }, index) => {
    successes += success ? 1 : 0;
    const rate = (index + 1) % perTask === 0 ? `Current task success rate: 0.5\n` : '';
    const failed = error === undefined ? '' : `Caught exception: ${error}\n`;
    return `\nTask: ${task}\nStarting episode ${(index % perTask) + 1}...\n${failed}Success: ${(said ?? success) ? 'True' : 'False'}\n# episodes completed so far: ${index + 1}\n# successes: ${successes} (${((100 * successes) / (index + 1)).toFixed(1)}%)\n${rate}`;
  });
  return `Task suite: ${suite}\n${blocks.join('')}`;
}

const yes = (task: string): Episode => ({ task, success: true });
const no = (task: string): Episode => ({ task, success: false });

describe('logs of the LIBERO scripts', () => {
  it.each([
    ['log-openvla', 'openvla'],
    ['log-oft', 'openvla-oft'],
    ['log-openpi', 'openpi'],
  ])('%s: counts, errors apart from failures, initial states by their order', async (name, format) => {
    const found = await readSample(name);
    expect(found.format).toBe(format);
    expect(countsOf(found.records)).toEqual({ success: 4, failure: 1, error: 1 });
    expect(rates(found.records)).toEqual({ 'libero_spatial/0': '2/2', 'libero_spatial/1': '2/3' });
    expect(found.records.map(({ taskId, initStateId }) => [taskId, initStateId])).toEqual([
      ...[0, 1, 2].map((state) => [0, state]),
      ...[0, 1, 2].map((state) => [1, state]),
    ]);
    expect(found.records.every(({ steps }) => steps === null)).toBe(true);
    expect(found.records.find(({ outcome }) => outcome === 'error')?.errorMessage).toBe(
      'policy server went away',
    );
    // The tool's own figure counts the error as a failure, and the report says so.
    expect(found.imported.figures[0]).toMatchObject({
      told: '66.6667%',
      counted: '4/5 = 80.0%',
      why: 'the tool counts errors as failures: 1 here',
    });
  });

  it('a log that is cut off gives the episodes that are closed', async () => {
    const { records } = await readSample('log-truncated');
    expect(countsOf(records)).toEqual({ success: 2, error: 1 });
    const { records: planned, suites } = await readSample('log-truncated', { planned: '2x3' });
    expect(countsOf(planned)).toEqual({ success: 2, error: 1, not_run: 3 });
    expect(suites[0]?.facts.planned).not.toBeNull();
  });

  it('the counter decides over a "Success:" that repeats the episode before', async () => {
    const { records, imported } = await readSample('log-stale-done');
    expect(countsOf(records)).toEqual({ success: 4, failure: 1, error: 1 });
    expect(imported.notes.join(' ')).toContain('"Success: True" contradicts "# successes"');
  });

  it('an exception with a stale success of its neighbour is an error', async () => {
    const log = openvlaLog([yes('a'), { ...no('a'), error: 'boom', said: true }], 2);
    expect(countsOf((await readSample(written(log))).records)).toEqual({ success: 1, error: 1 });
  });

  it('languages that repeat across scenes are tasks of their own', async () => {
    const { records } = await readSample(written(openvlaLog([yes('same'), no('same'), no('same')], 1)));
    expect(records.map(({ taskId }) => taskId)).toEqual([0, 1, 2]);
  });

  it('an initial state that the tool skipped is no episode, and moves the next one', async () => {
    const log = openvlaLog([yes('a'), no('a')], 2).replace(
      'Starting episode 2...',
      'Skipping task 0 episode 1 due to failed expert demo!\n\nTask: a\nStarting episode 2...',
    );
    const { records, imported } = await readSample(written(log));
    expect(records.map(({ initStateId, outcome }) => [initStateId, outcome])).toEqual([
      [0, 'success'],
      [2, 'failure'],
    ]);
    expect(imported.notes.join(' ')).toContain('initial state 1 of task 0 was skipped');
  });

  it('two runs in one stream are told apart, of one suite or of two', async () => {
    const one = openvlaLog([yes('a'), no('a')], 2);
    const { records, imported } = await readSample(written(one + one));
    expect(records.map(({ initStateId, runIndex }) => [initStateId, runIndex])).toEqual([
      [0, 0],
      [0, 1],
      [1, 0],
      [1, 1],
    ]);
    expect(imported.notes.join(' ')).toContain('holds 2 runs');
    const other = openvlaLog([yes('b')], 1, 'libero_goal');
    expect((await readSample(written(one + other))).suites.map(({ plan }) => plan.suite)).toEqual([
      'libero_90',
      'libero_goal',
    ]);
    // Without the heading the counter alone tells.
    const bare = one.replace('Task suite: libero_90\n', '');
    expect((await readSample(written(one + bare))).records).toHaveLength(4);
  });

  it('a run that was broken off and begun again is two runs', async () => {
    const log = openvlaLog([yes('a'), no('a')], 2);
    const broken = log.slice(0, log.indexOf('Success: False'));
    const { records, imported } = await readSample(written(broken + log));
    expect(records).toHaveLength(3);
    expect(imported.notes.join(' ')).toContain('this episode has no end');
  });

  it('an outage is told apart from failures', async () => {
    const down = { ...no('a'), error: 'connection refused' };
    const { imported } = await readSample(written(openvlaLog([yes('a'), down, down, down], 4)));
    expect(imported.notes.join(' ')).toMatch(/3 errors one behind the other .* the last of the log/);
  });

  it.each([
    ['the beginning is missing', OPENVLA.slice(OPENVLA.indexOf('Starting episode 2'))],
    ['an episode in the middle is missing', OPENVLA.replace(/Starting episode 2[^#]*#.*\n#.*\n/, '')],
    ['a counter jumps', OPENVLA.replace('# successes: 3 (60.0%)', '# successes: 5 (100.0%)')],
    ['a counter is not its percentage', OPENVLA.replace('# successes: 3 (60.0%)', '# successes: 3 (90.0%)')],
  ])('is refused with its line where lines contradict each other: %s', async (_, log) => {
    const { problems } = await readSample(written(log));
    expect(problems).toMatchObject([{ code: 'RB902' }]);
    expect(problems[0]?.where).toMatch(/ line \d+$/);
  });

  it('survives colours, NUL, invalid UTF-8, CRLF, time stamps of a logger and numpy text', async () => {
    const odd = OPENPI.replaceAll('\n', '\r\n')
      .replace('INFO:root:Success: True', '\u001b[32mINFO:root:Success: np.True_\u001b[0m')
      .replaceAll('INFO:root:# succ', '2026-05-20 10:00:00,123 - INFO - # succ')
      .replace('Task: open', '\u0000Task: open');
    const bytes = Buffer.concat([Buffer.from([0xff, 0xfe, 0x0a]), Buffer.from(odd)]);
    expect(countsOf((await readSample(written(bytes))).records)).toEqual({
      success: 4,
      failure: 1,
      error: 1,
    });
  });

  it('a text of an error is no record', async () => {
    const log = openvlaLog([yes('a'), { ...no('a'), error: '# successes: 9 (100.0%)' }], 2);
    expect(countsOf((await readSample(written(log))).records)).toEqual({ success: 1, error: 1 });
  });
});

describe('the console of RoboTwin', () => {
  it('counts by the difference of its counter, and tells episodes by their seeds', async () => {
    const { format, records, suites } = await readSample('robotwin-console');
    expect(format).toBe('robotwin');
    expect(countsOf(records)).toEqual({ success: 2, failure: 1 });
    expect(records.map(({ initStateId }) => initStateId)).toEqual([100000, 100003, 100004]);
    expect(suites[0]?.plan).toMatchObject({ suite: 'demo_clean', cellsBy: 'seed' });
  });

  it('a seed that the end of the file cuts is not another seed', async () => {
    const cut = ROBOTWIN.slice(0, ROBOTWIN.indexOf('100003') + 5);
    const { records, imported } = await readSample(written(cut));
    expect(records.map(({ initStateId }) => initStateId)).toEqual([100000]);
    expect(imported.notes.join(' ')).toContain('the log ends inside this line');
  });

  it('two policies in one log are refused', async () => {
    const { problems } = await readSample(written(ROBOTWIN + ROBOTWIN.replaceAll('DP3', 'ACT')));
    expect(problems).toMatchObject([{ code: 'RB902' }]);
  });

  const batch = (order: readonly number[]): string =>
    order
      .map((at) => {
        const outcomes = [true, false, true, true];
        const k = outcomes.slice(0, at + 1).filter(Boolean).length;
        return `lift_pot | episode=${at} | worker=${at % 2} | seed=${100_000 + 3 * at} | success=${outcomes[at] ? 'True' : 'False'} | batch success: ${k}/${at + 1} => ${((100 * k) / (at + 1)).toFixed(1)}%\n`;
      })
      .join('');

  it('a batch is counted by its lines, in whatever order they stand; its bias is said', async () => {
    const { records, imported } = await readSample(written(`${batch([2, 0, 3, 1])}[Batch Worker Error] x\n`));
    expect(countsOf(records)).toEqual({ success: 3, failure: 1 });
    expect(imported.notes.join(' ')).toContain('biased upwards');
    expect(imported.notes.join(' ')).toContain('1 workers of the batch died');
  });

  it('a batch with a gap, or whose lines do not give its counter, is refused', async () => {
    for (const log of [
      batch([0, 1, 3]),
      batch([0, 0, 1]),
      batch([0, 1]).replace('success=False', 'success=True'),
    ])
      expect((await readSample(written(log))).problems).toMatchObject([{ code: 'RB902' }]);
  });

  it('beside a console the rate of a _result.txt is no more than a figure', async () => {
    const both = join(folder, 'both');
    const place = join(both, 'eval_result/beat_block_hammer/DP3/demo_clean/demo_clean/now');
    mkdirSync(place, { recursive: true });
    writeFileSync(join(both, 'console.log'), ROBOTWIN);
    writeFileSync(
      join(place, '_result.txt'),
      'Timestamp: now\n\nInstruction Type: unseen\n\n0.6666666666666666',
    );
    const { records, imported } = await readSample(both);
    expect(countsOf(records)).toEqual({ success: 2, failure: 1 });
    expect(imported.figures).toMatchObject([{ told: '66.6667%', counted: '2/3 = 66.7%', why: null }]);
  });

  it('a rate without its number is refused until somebody says it', async () => {
    await expect(readSample('robotwin-old')).rejects.toMatchObject({
      problems: [{ code: 'RB930', message: expect.stringContaining('100 (43/100)') }],
    });
    await expect(readSample('robotwin-batch')).rejects.toMatchObject({
      problems: [{ code: 'RB930', message: expect.stringContaining('48 (43/48)') }],
    });
    await expect(readSample('robotwin-batch', { planned: '1x100' })).rejects.toMatchObject({
      problems: [{ code: 'RB930', message: expect.stringContaining('no whole number of 100 episodes') }],
    });
    const { records, imported, suites } = await readSample('robotwin-old', { planned: '1x100' });
    expect(countsOf(records)).toEqual({ success: 43, failure: 57 });
    expect(suites[0]?.plan).toMatchObject({ suite: 'demo_clean', cellsBy: 'count' });
    expect(imported.notes.join(' ')).toContain("100 is the user's word");
    expect(countsOf((await readSample('robotwin-batch', { planned: '1x96' })).records)).toEqual({
      success: 86,
      failure: 10,
    });
  });
});

const logs = [
  ['openvla', OPENVLA, '2x3'],
  ['openpi', OPENPI, '2x3'],
  ['robotwin', ROBOTWIN, '1x3'],
] as const;

/** The same counts, or a gap that is named: a fault, or planned episodes that are not there. */
async function countsOrGap(log: string, planned: string): Promise<Record<string, number> | 'gap'> {
  const { records, problems } = await readSample(written(log), { planned });
  if (problems.length > 0) return 'gap';
  const counts = countsOf(records);
  return (counts['not_run'] ?? 0) > 0 ? 'gap' : counts;
}

describe.each(logs)('whatever happens to a log of %s', (format, log, planned) => {
  it('cut at any byte it gives the same count or a named gap', async () => {
    const whole = await countsOrGap(log, planned);
    expect(whole).not.toBe('gap');
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: log.length }), async (at) => {
        const file = written(log.slice(0, at));
        let counts: Record<string, number> | 'gap';
        try {
          const { records, problems } = await readSample(file, { planned });
          const own = countsOf(records);
          counts = problems.length > 0 || (own['not_run'] ?? 0) > 0 ? 'gap' : own;
        } catch (error) {
          // So little is left that nobody knows what it is.
          expect(String(error)).toContain('RB900');
          counts = 'gap';
        }
        if (counts !== 'gap') expect(counts).toEqual(whole);
      }),
      { numRuns: 150 },
    );
  });

  it('progress bars between and before its records change nothing', async () => {
    const whole = await countsOrGap(log, planned);
    const bar = ' 33%|███▎      | 1/3 [00:01<00:02,  1.20s/it]';
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom('', bar, `${bar}\r`, `\r${bar}\n`), { minLength: 8 }),
        async (bars) => {
          const lines = log
            .split('\n')
            .map((line, at) => `${line === '' ? '' : (bars[at % bars.length] ?? '')}${line}`);
          expect(await countsOrGap(lines.join('\n'), planned)).toEqual(whole);
        },
      ),
      { numRuns: 40 },
    );
  });

  it('doubled it is beyond what was planned', async () => {
    expect(await countsOrGap(log + log, planned)).toBe('gap');
    expect(format).not.toBe('');
  });
});

it('no line is slow: readers are linear', async () => {
  const hostile = ['1%|', ' 33%|a[', 'INFO:', '# successes: 1', 'Task: ', '\u001b[', 'a | b'].map((each) =>
    each.repeat(4000).slice(0, 16_000),
  );
  const log = openvlaLog([yes('a')], 1) + Array.from({ length: 300 }, () => hostile.join('\n')).join('\n');
  const began = process.cpuUsage();
  expect((await readSample(written(log))).records).toHaveLength(1);
  // 34 MB: a quadratic reader takes minutes.
  expect(process.cpuUsage(began).user / 1e6).toBeLessThan(30);
});
