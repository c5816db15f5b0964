import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { INDEX_BUDGET, type IndexInput, indexPage } from '../../../../src/report/page/index-page.ts';
import { jsonScript } from '../../../../src/report/page/page-shell.ts';
import { HOSTILE_NAMES, hostileText } from '../hostile.ts';
import { parseMarkup } from './browserless.ts';
import { sampleHistory } from './sample-history.ts';

const four = sampleHistory({
  suites: ['libero_spatial', 'libero_goal'],
  branches: ['main', 'dev'],
  points: 60,
});

describe('index.html', () => {
  it('shows suites, tasks, alarms and the last run without any script', () => {
    const page = indexPage(four);
    const { tags } = parseMarkup(page);
    expect(tags.filter(({ attributes }) => attributes.has('data-series'))).toHaveLength(4);
    expect(tags.filter(({ attributes }) => attributes.get('class') === 'rb-chart rb-spark')).toHaveLength(40);
    expect(page).toContain('Drift alarm.');
    expect(page).toContain('2026-11-28 02:14 UTC');
    expect(page).toContain('https://github.com/robots/policies/actions/runs/1759');
  });

  it('shows a gap where nights are missing and a cross where a run failed', () => {
    const [chart = ''] = /<figure data-chart>.*?<\/figure>/s.exec(indexPage(four)) ?? [];
    expect(chart).toContain('2 runs are missing after');
    expect(chart.match(/class="rb-path"/g)).toHaveLength(3);
    expect(chart).toContain('no valid episode, INVALID');
  });

  it.each([
    ['nothing', sampleHistory({ suites: [], branches: [], points: 0 })],
    ['a series without runs', sampleHistory({ suites: ['a'], branches: ['main'], points: 0 })],
    ['500 points of 10 tasks', sampleHistory({ suites: ['a'], branches: ['main'], points: 500 })],
    ['500 points of 90 tasks', sampleHistory({ suites: ['a'], branches: ['main'], points: 500, tasks: 90 })],
    ['40 series', sampleHistory({ suites: ['a', 'b', 'c', 'd'], branches: [...'abcdefghij'], points: 200 })],
  ])('stays in its budget with %s', (_, input) => {
    const page = indexPage(input);
    expect(Buffer.byteLength(page)).toBeLessThanOrEqual(INDEX_BUDGET);
    parseMarkup(page);
  });

  it('says what it left out', () => {
    const page = indexPage(
      sampleHistory({ suites: ['a', 'b', 'c', 'd'], branches: [...'abcdefghij'], points: 200 }),
    );
    expect(page).toMatch(/Shown are the newest \d+ runs of each series/);
    expect(page).toMatch(/\d+ series that are quiet for longest are left out/);
  });

  it('is the same for the same input', () => {
    expect(indexPage(sampleHistory({ suites: ['a'], branches: ['b'], points: 9 }))).toBe(
      indexPage(sampleHistory({ suites: ['a'], branches: ['b'], points: 9 })),
    );
  });
});

describe('foreign text in index.html', () => {
  it('never becomes markup', () => {
    const shape = (text: string): readonly string[] =>
      parseMarkup(indexPage(hostileHistory(`x${text}`))).tags.map(({ name, attributes }) =>
        [name, ...attributes.keys()].join(' '),
      );
    const expected = shape('plain');
    fc.assert(
      fc.property(hostileText, (text) => {
        expect(shape(text)).toEqual(expected);
      }),
      { numRuns: 40 },
    );
    for (const name of HOSTILE_NAMES) expect(shape(name)).toEqual(expected);
  });
});

describe('JSON in a script element', () => {
  it('gives the value back and cannot end its element', () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        const element = jsonScript('data', { text }).text;
        const inside = element.slice(element.indexOf('>') + 1, element.lastIndexOf('</script>'));
        expect(inside).not.toMatch(/[<>&\u2028\u2029]/);
        expect(JSON.parse(inside)).toEqual({ text });
      }),
    );
  });
});

function hostileHistory(text: string): IndexInput {
  const { series, ...rest } = sampleHistory({ suites: ['s'], branches: ['main'], points: 3, tasks: 2 });
  return {
    ...rest,
    name: text,
    series: series.map((item) => ({
      ...item,
      suite: text,
      branch: text,
      alarm: text,
      points: item.points.map((point) => ({
        ...point,
        runId: text,
        commit: text,
        policy: text,
        tasks: (point.tasks ?? []).map((task) => ({ ...task, language: text })),
      })),
    })),
  };
}
