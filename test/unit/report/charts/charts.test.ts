import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rateAxis, timeAxis } from '../../../../src/report/charts/axes.ts';
import { distinctNames } from '../../../../src/report/charts/distinct-names.ts';
import { type HistoryMark, historySvg } from '../../../../src/report/charts/history.ts';
import { silences, stretches, usualSpace } from '../../../../src/report/charts/stretches.ts';
import { taskBarsOf, taskBarsSvg } from '../../../../src/report/charts/task-bars.ts';
import { markOf } from '../../../../src/report/page/index-data.ts';
import { HOSTILE_NAMES, hostileText } from '../hostile.ts';
import { parseMarkup } from '../page/browserless.ts';
import { sampleHistory } from '../page/sample-history.ts';
import { sampleRun } from '../page/sample-run.ts';

const DAY = 86_400_000;
const run = sampleRun({ tasks: 10, states: 20 });
const marks = (sampleHistory({ suites: ['s'], branches: ['b'], points: 60 }).series[0]?.points ?? []).map(
  markOf,
);

function bars(baseline: ReadonlyMap<number | null, number> = new Map()): string {
  const [arm] = run.results.arms;
  return arm === undefined ? '' : taskBarsSvg(taskBarsOf(run.results, arm, baseline));
}

describe('task bars', () => {
  it('have a title per row, an interval each, and the suite at the end', () => {
    const svg = bars();
    expect(svg).toMatch(/^<svg xmlns="http:\/\/www.w3.org\/2000\/svg" [^>]*role="img" aria-label="[^"]+"/);
    expect(svg.match(/<g><title>/g)).toHaveLength(11);
    expect(svg.match(/class="rb-whisker"/g)).toHaveLength(11);
    expect(svg).toContain('All tasks');
    expect(svg).toContain('prefers-color-scheme:dark');
  });

  it('mark the baseline where there is one', () => {
    expect(bars()).not.toContain('class="rb-baseline"');
    expect(bars(new Map([[3, 0.9]])).match(/class="rb-baseline"/g)).toHaveLength(1);
    expect(bars(new Map([[3, 0.9]]))).toContain('baseline 90.0%');
  });

  it('draw no bar for a task that was not run', () => {
    const unknown = { k: 0, n: 0, rate: null, low: null, high: null };
    const bar = { name: 'a', rate: unknown, planned: 5, recorded: 0, baseline: 0.5 };
    const svg = taskBarsSvg({ title: 't', level: 0.95, total: null, bars: [bar] });
    expect(svg).toContain('not run');
    expect(svg).not.toMatch(/class="rb-bar"|class="rb-whisker"/);
  });

  it('have coordinates of two decimals at most', () => {
    expect(
      `${bars()}${historySvg({ title: 't', points: marks, expected: 0.93 })}`
        .replace(/<style>.*?<\/style>/g, '')
        .replace(/<title>.*?<\/title>|aria-label="[^"]*"|>[^<]*</g, ''),
    ).not.toMatch(/\d\.\d{3}/);
  });
});

describe('history chart', () => {
  const mark = (day: number, overrides: Partial<HistoryMark> = {}): HistoryMark => ({
    at: day * DAY,
    successes: 9,
    valid: 10,
    low: 0.6,
    high: 0.98,
    verdict: 'PASS',
    alarm: false,
    name: `day ${day}`,
    ...overrides,
  });
  const chart = (points: readonly HistoryMark[], width = 760): string =>
    historySvg({ title: 't', points, expected: null, width });

  it('breaks line and band where a run failed', () => {
    const failed = { successes: 0, valid: 0, low: null, high: null, verdict: 'INVALID' } as const;
    const svg = chart([mark(1), mark(2), mark(3, failed), mark(4), mark(5)]);
    expect(svg.match(/class="rb-path"/g)).toHaveLength(2);
    expect(svg.match(/class="rb-band"/g)).toHaveLength(2);
    expect(svg.match(/class="rb-cross"/g)).toHaveLength(1);
  });

  it('breaks where a night is missing, and only a schedule has nights to miss', () => {
    expect(chart([1, 2, 3, 4, 6, 7].map((day) => mark(day)))).toContain('1 run is missing after');
    expect(chart([1, 1.2, 3, 3.1, 9, 10].map((day) => mark(day)))).not.toContain('missing after');
  });

  it('tells verdicts and alarms by shape', () => {
    const svg = chart([
      mark(1),
      mark(2, { verdict: 'FAIL' }),
      mark(3, { verdict: 'INCONCLUSIVE' }),
      mark(4, { alarm: true }),
    ]);
    for (const kind of ['rb-dot', 'rb-dot-fail', 'rb-dot-open', 'rb-ring'])
      expect(svg).toContain(`class="${kind}"`);
  });

  it('draws one point, none, and points at one moment', () => {
    for (const points of [[], [mark(1)], [mark(1), mark(1)]]) {
      const svg = chart(points);
      expect(svg).not.toMatch(/NaN|Infinity|undefined/);
      parseMarkup(svg);
    }
  });

  it('fits any width and any values', () => {
    const any = fc.record({
      at: fc.integer({ min: 0, max: 4e12 }),
      n: fc.integer({ min: 0, max: 500 }),
      share: fc.double({ min: 0, max: 1, noNaN: true }),
    });
    fc.assert(
      fc.property(fc.array(any, { maxLength: 40 }), fc.integer({ min: 1, max: 3000 }), (values, width) => {
        const points = values
          .sort((left, right) => left.at - right.at)
          .map(({ at, n, share }) =>
            mark(0, {
              at,
              valid: n,
              successes: Math.floor(n * share),
              low: n === 0 ? null : 0,
              high: n === 0 ? null : 1,
            }),
          );
        expect(chart(points, width)).not.toMatch(/NaN|Infinity|undefined/);
      }),
    );
  });
});

describe('foreign text in charts', () => {
  it('never becomes markup', () => {
    const bar = (name: string): string =>
      taskBarsSvg({
        title: name,
        level: 0.95,
        total: null,
        bars: [
          {
            name,
            rate: { k: 1, n: 2, rate: 0.5, low: 0.1, high: 0.9 },
            planned: 2,
            recorded: 2,
            baseline: null,
          },
        ],
      });
    const shape = (svg: string) =>
      parseMarkup(svg).tags.map(({ name, attributes }) => [name, ...attributes.keys()].join(' '));
    const line = (name: string): string =>
      historySvg({
        title: name,
        points: marks.slice(0, 2).map((mark) => ({ ...mark, name })),
        expected: null,
      });
    fc.assert(
      fc.property(fc.oneof(hostileText, fc.constantFrom(...HOSTILE_NAMES)), (text) => {
        expect(shape(bar(text))).toEqual(shape(bar('plain')));
        expect(shape(line(text))).toEqual(shape(line('plain')));
      }),
    );
  });
});

describe('axes', () => {
  it('reach down to what is drawn and never closer than 20 points', () => {
    expect(rateAxis(0.97)).toMatchObject({ from: 0.8, to: 1 });
    expect(rateAxis(0)).toMatchObject({ from: 0, to: 1 });
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1, noNaN: true }), (lowest) => {
        const { from, ticks } = rateAxis(lowest);
        expect(from).toBeLessThanOrEqual(lowest);
        expect(ticks.length).toBeLessThanOrEqual(6);
      }),
    );
  });

  it('has whole days in UTC as dates, no more than there is room for', () => {
    const { ticks } = timeAxis(Date.UTC(2026, 9, 1, 5), Date.UTC(2026, 10, 28, 5), 5);
    expect(ticks.map(({ label }) => label)).toEqual(['3 Oct', '17 Oct', '31 Oct', '14 Nov', '28 Nov']);
  });
});

describe('stretches', () => {
  const at = (...days: number[]) => days.map((day) => ({ at: day * DAY }));

  it('know a schedule from pushes', () => {
    expect(usualSpace(at(1, 2, 3, 4, 8))).toBe(DAY);
    expect(usualSpace(at(1, 1.1, 4, 9, 9.2, 20))).toBeNull();
    expect(usualSpace(at(1, 2))).toBeNull();
  });

  it('count missing runs', () => {
    expect(silences(at(1, 2, 3, 4, 8)).map(({ missing }) => missing)).toEqual([3]);
  });

  it('keep every point that has a rate, once and in order', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.integer({ min: 0, max: 1000 }), fc.boolean())), (list) => {
        const points = list
          .map(([day, known]) => ({ at: day * DAY, known }))
          .sort((left, right) => left.at - right.at);
        expect(stretches(points, ({ known }) => known).flat()).toEqual(points.filter(({ known }) => known));
      }),
    );
  });
});

describe('names in a small place', () => {
  it('leave out what all begin and end with', () => {
    expect(
      distinctNames([
        'pick up the black bowl on the stove and place it on the plate',
        'pick up the black bowl next to the ramekin and place it on the plate',
      ]),
    ).toEqual(['… on the stove …', '… next to the ramekin …']);
  });

  it('stay whole when they share little or nothing', () => {
    for (const names of [
      ['open the drawer', 'close the drawer'],
      ['one'],
      [],
      ['same', 'same'],
      ['', 'a b c d e'],
    ])
      expect(distinctNames(names)).toEqual(names);
  });

  it('tell apart what was told apart', () => {
    const word = fc.constantFrom('pick', 'up', 'the', 'bowl', 'plate');
    const names = fc.uniqueArray(
      fc.array(word, { minLength: 1, maxLength: 9 }).map((words) => words.join(' ')),
      { minLength: 2 },
    );
    fc.assert(
      fc.property(names, (list) => {
        expect(new Set(distinctNames(list)).size).toBe(list.length);
      }),
    );
  });
});
