import { describe, expect, it } from 'vitest';
import { indexPage } from '../../../src/report/page/index-page.ts';
import { HOSTILE_NAMES } from '../../unit/report/hostile.ts';
import { sampleHistory } from '../../unit/report/page/sample-history.ts';
import { expectQuiet, NO_BROWSER, overhang, seriousFindings, useBrowser } from './browser.ts';

const RESPONSIVE_MS = 4_000;
const usual = indexPage(
  sampleHistory({ suites: ['libero_spatial', 'libero_goal'], branches: ['main', 'dev'], points: 60 }),
);
const hostile = indexPage(
  sampleHistory({ suites: HOSTILE_NAMES.slice(0, 5), branches: HOSTILE_NAMES.slice(5, 7), points: 8 }),
);

describe.skipIf(NO_BROWSER !== null)('index.html in a browser', () => {
  const { open } = useBrowser();

  it.each([
    ['a usual history', usual],
    ['hostile names', hostile],
    [
      'nothing yet',
      indexPage({ leaderboard: null, name: 'a/b', writtenAt: '2026-11-28T02:20:00.000Z', series: [] }),
    ],
  ])('asks nothing of any network and never complains: %s', async (_, html) => {
    expectQuiet(await open(html));
  });

  it.each(['light', 'dark'] as const)('has no serious accessibility finding: %s', async (colorScheme) => {
    const { page } = await open(usual, { colorScheme });
    await page.evaluate(`for (const details of document.querySelectorAll('details')) details.open = true`);
    expect(await seriousFindings(page)).toEqual([]);
  });

  it.each([usual, hostile])('fits a phone, charts in the room they have', async (html) => {
    const { page } = await open(html, { viewport: { width: 360, height: 740 } });
    expect(await overhang(page)).toBeLessThanOrEqual(0);
    const width = await page.locator('[data-chart] svg').first().getAttribute('width');
    expect(Number(width)).toBeLessThan(340);
  });

  it('draws anew when the window changes', async () => {
    const { page } = await open(usual, { viewport: { width: 1200, height: 800 } });
    const chart = page.locator('[data-chart] svg').first();
    const before = Number(await chart.getAttribute('width'));
    await page.setViewportSize({ width: 700, height: 800 });
    await expect.poll(async () => Number(await chart.getAttribute('width'))).toBeLessThan(before);
  });

  it('filters by suite and branch', async () => {
    const { page } = await open(usual);
    const cards = page.locator('[data-series]:visible');
    expect(await cards.count()).toBe(4);
    await page.getByRole('combobox', { name: 'Suite' }).selectOption('libero_goal');
    await page.getByRole('combobox', { name: 'Branch' }).selectOption('dev');
    expect(await cards.locator('h2').allInnerTexts()).toEqual(['libero_goal dev']);
    expect(await page.locator('[data-shown]').textContent()).toBe('1 of 4 series');
  });

  it('shows the course of one task, and the runs of one policy', async () => {
    const { page } = await open(usual);
    const chart = page.locator('[data-chart] svg').first();
    const points = chart.locator('g:has(.rb-dot, .rb-dot-fail, .rb-dot-open, .rb-cross)');
    expect(await points.count()).toBe(60);
    await page.getByRole('combobox', { name: 'Task' }).selectOption('4');
    expect(await chart.getAttribute('aria-label')).toContain('libero_spatial on main, task 4: success rate');
    await page.getByRole('combobox', { name: 'Task' }).selectOption('');
    await page.getByRole('combobox', { name: 'Policy' }).selectOption('pi05@8d21f0');
    expect(await points.count()).toBe(29);
    expect(await page.locator('tr[data-policy="pi05@1a2b3c"]:visible').count()).toBe(0);
  });

  it('leads to each report, run, commit and pull request, and folds the latter', async () => {
    const [series] = sampleHistory({ suites: ['libero_goal'], branches: ['main'], points: 3 }).series;
    if (series === undefined) throw new Error('no series');
    const runUrl = 'https://github.com/acme/robots/actions/runs/7';
    const points = series.points.map((point, at) => ({
      ...point,
      commit: 'a1b2c3d4e5f60718',
      runUrl,
      reportUrl: at === 2 ? 'reports/libero_goal/main/report.html' : null,
    }));
    const pull = { ...series, points, branch: 'pull/12', pullRequest: 12, baseline: null };
    const html = indexPage({
      leaderboard: null,
      name: 'acme/robots',
      writtenAt: '2026-11-28T02:20:00.000Z',
      series: [{ ...series, points }, pull],
    });
    const opened = await open(html);
    const { page } = opened;
    const addresses = async (name: string) =>
      new Set(
        await page
          .getByRole('link', { name, exact: true })
          .evaluateAll((all) => all.map((each) => each.getAttribute('href'))),
      );
    expect(await page.locator('[data-series]').count()).toBe(1);
    expect(await page.getByRole('link', { name: '#12' }).isVisible()).toBe(false);
    await page.getByText('Pull requests (1)').click();
    await page.getByText('Runs', { exact: true }).click();
    expect(await addresses('#12')).toEqual(new Set(['https://github.com/acme/robots/pull/12']));
    expect(await addresses('report')).toEqual(new Set(['reports/libero_goal/main/report.html']));
    expect(await addresses('Report')).toEqual(new Set(['reports/libero_goal/main/report.html']));
    expect(await addresses('Workflow run')).toEqual(new Set([runUrl]));
    expect(await addresses('a1b2c3d4e5')).toEqual(
      new Set(['https://github.com/acme/robots/commit/a1b2c3d4e5f60718']),
    );
    expect(await seriousFindings(page)).toEqual([]);
    expectQuiet(opened);
  });

  it('says that a first run became the baseline', async () => {
    const [series] = sampleHistory({ suites: ['libero_goal'], branches: ['main'], points: 1 }).series;
    if (series === undefined) throw new Error('no series');
    const points = series.points.map((point) => ({ ...point, verdict: 'INCONCLUSIVE' as const }));
    const baseline = { runId: points[0]?.runId ?? '', commit: null };
    const { page } = await open(
      indexPage({
        leaderboard: null,
        name: 'a/b',
        writtenAt: '2026-11-28T02:20:00.000Z',
        series: [{ ...series, points, baseline }],
      }),
    );
    expect(await page.locator('.card > header').textContent()).toContain('BASELINE SET');
    expect(await page.locator('.card tbody').last().textContent()).toContain('baseline set');
  });

  it('says so when nothing matches', async () => {
    const { page } = await open(
      indexPage(sampleHistory({ suites: ['a'], branches: ['main'], points: 3 })).replace(
        '<option value="main">',
        '<option value="gone">',
      ),
    );
    await page.getByRole('combobox', { name: 'Branch' }).selectOption('gone');
    expect(await page.locator('[data-none]').isVisible()).toBe(true);
  });

  it('leads to the leaderboard where the branch has one, and to none otherwise', async () => {
    const history = sampleHistory({ suites: ['a'], branches: ['main'], points: 3 });
    const { page } = await open(indexPage({ ...history, leaderboard: 'leaderboard.html' }));
    const board = page.getByRole('link', { name: 'Leaderboard: policies side by side' });
    expect(await board.getAttribute('href')).toBe('leaderboard.html');
    const { page: without } = await open(indexPage(history));
    expect(await without.getByRole('link', { name: 'Leaderboard' }).count()).toBe(0);
  });

  it('counts the days since the last run and names what is overdue', async () => {
    const { page } = await open(usual);
    const said = await page.locator('[data-series]').first().locator('.note').first().textContent();
    expect(said).toMatch(/^Last run 2026-11-28 02:14 UTC, (\d+ days?|less than a day) ago/);
  });

  it('shows charts, tasks and dates without scripts', async () => {
    const { page } = await open(usual, { javaScriptEnabled: false });
    expect(await page.locator('[data-chart] svg').count()).toBe(4);
    expect(await page.locator('.rb-spark').first().isVisible()).toBe(true);
    expect(await page.locator('[data-filters]').isVisible()).toBe(false);
  });

  it('stays responsive with 500 points', async () => {
    const opened = await open(indexPage(sampleHistory({ suites: ['a'], branches: ['main'], points: 500 })));
    const { page } = opened;
    const points = page.locator('[data-chart] svg g:has(.rb-dot, .rb-dot-fail, .rb-dot-open, .rb-cross)');
    expect(await points.count()).toBe(500);
    const began = Date.now();
    for (let task = 0; task < 10; task += 1)
      await page.getByRole('combobox', { name: 'Task' }).selectOption(String(task));
    expect(Date.now() - began).toBeLessThan(10 * RESPONSIVE_MS);
    expectQuiet(opened);
  });
});
