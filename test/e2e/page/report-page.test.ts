import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { reportPage } from '../../../src/report/page/report-page.ts';
import { HOSTILE_NAMES } from '../../unit/report/hostile.ts';
import { sampleRun } from '../../unit/report/page/sample-run.ts';
import { expectQuiet, NO_BROWSER, overhang, seriousFindings, useBrowser } from './browser.ts';

const PHONE = { viewport: { width: 360, height: 740 } };
/** Longest time for one interaction; a slow machine under load takes a small part of it. */
const RESPONSIVE_MS = 4_000;

const usual = reportPage(sampleRun({ tasks: 10, states: 20 }));
const twoArms = reportPage(sampleRun({ tasks: 5, states: 10, repeats: 2, arms: ['candidate', 'baseline'] }));
const hostile = reportPage(
  sampleRun({
    tasks: HOSTILE_NAMES.length,
    states: 10,
    language: (task) => HOSTILE_NAMES[task] ?? '',
    message: HOSTILE_NAMES.join(' '),
  }),
);

const column = (page: Page, table: string, index: number) =>
  page.locator(`${table} tbody tr:not(.opened) > :nth-child(${index})`).allInnerTexts();
/** Of the script's table; the first column has the buttons. */
const episodes = async (page: Page, title: string) => {
  const titles = await page.locator('table[data-list] thead th').allInnerTexts();
  return column(page, 'table[data-list]', titles.findIndex((each) => each.startsWith(title)) + 1);
};

describe.skipIf(NO_BROWSER !== null)('report.html in a browser', () => {
  const { open } = useBrowser();

  it.each([
    ['a usual run', usual],
    ['two arms', twoArms],
    ['hostile names', hostile],
  ])('asks nothing of any network and never complains: %s', async (_, html) => {
    const opened = await open(html);
    await opened.page.mouse.move(300, 300);
    await opened.page.locator('[data-grid] td > .c').first().hover();
    expectQuiet(opened);
  });

  it.each([
    ['light', 'light', usual],
    ['dark', 'dark', usual],
    ['two arms', 'light', twoArms],
    ['hostile names', 'dark', hostile],
  ] as const)('has no serious accessibility finding: %s', async (_, colorScheme, html) => {
    const { page } = await open(html, { colorScheme });
    expect(await seriousFindings(page)).toEqual([]);
  });

  it.each([usual, twoArms, hostile])('fits a phone without scrolling sideways', async (html) => {
    const { page } = await open(html, PHONE);
    expect(await overhang(page)).toBeLessThanOrEqual(0);
  });

  it.each([
    ['a usual run', usual, 768],
    ['a usual run', usual, 1100],
    ['a usual run', usual, 1280],
    ['two arms', twoArms, 1100],
    ['two arms', twoArms, 1280],
    ['two arms', twoArms, 1600],
  ])('shows the whole task table without scrolling sideways', async (_, html, width) => {
    const { page } = await open(html, { viewport: { width, height: 900 } });
    expect(await overhang(page)).toBeLessThanOrEqual(0);
    const hidden = await page
      .locator('.scroll:has(> .tasks)')
      .evaluateAll((boxes) => boxes.map((box) => box.scrollWidth - box.clientWidth));
    expect(hidden.length).toBeGreaterThan(0);
    expect(Math.max(...hidden)).toBeLessThanOrEqual(0);
  });

  it('sorts by a click and by the keyboard, both ways', async () => {
    const { page } = await open(usual);
    const header = page.locator('.tasks th', { hasText: 'Success rate' });
    await header.getByRole('button').click();
    expect(await header.getAttribute('aria-sort')).toBe('ascending');
    const rates = (await column(page, '.tasks', 3)).map(Number.parseFloat);
    expect(rates).toEqual([...rates].sort((left, right) => left - right));
    expect((await column(page, '.tasks', 1))[0]).toBe('4');
    await page.keyboard.press('Enter');
    expect(await header.getAttribute('aria-sort')).toBe('descending');
    expect((await column(page, '.tasks', 3)).map(Number.parseFloat)).toEqual(
      rates.sort((left, right) => right - left),
    );
    expect(await page.locator('.tasks th[aria-sort="none"]').count()).toBeGreaterThan(3);
  });

  it('puts what is unknown last in both directions', async () => {
    const { page } = await open(usual);
    const steps = page.locator('[data-list] th', { hasText: 'Steps' }).getByRole('button');
    await steps.click();
    expect((await episodes(page, 'Steps'))[0]).toBe('220');
    await page.getByRole('button', { name: 'Next' }).click();
    expect((await episodes(page, 'Steps')).at(-1)).toBe('–');
    await steps.click();
    expect((await episodes(page, 'Steps'))[0]).toBe('220');
  });

  it('starts with what did not succeed, and filters by outcome, task and text', async () => {
    const { page } = await open(usual);
    const shown = page.locator('[data-shown]');
    expect(await episodes(page, 'Outcome')).not.toContain('· success');
    await page.getByRole('combobox', { name: 'Outcome' }).selectOption({ label: 'error' });
    expect(new Set(await episodes(page, 'Outcome'))).toEqual(new Set(['! error']));
    await page.getByRole('combobox', { name: 'Outcome' }).selectOption('');
    expect(await shown.textContent()).toBe('200 of 200 episodes');
    await page.getByRole('combobox', { name: 'Task' }).selectOption('4');
    expect(new Set(await episodes(page, 'Task'))).toEqual(new Set(['4']));
    await page.getByRole('combobox', { name: 'Task' }).selectOption('');
    await page.getByRole('searchbox').fill('connection_lost');
    expect(new Set(await episodes(page, 'Code'))).toEqual(new Set(['POLICY_CONNECTION_LOST']));
    await page.getByRole('searchbox').fill('no such text');
    expect(await shown.textContent()).toBe('0 of 200 episodes');
  });

  it('filters what regressed against the second arm', async () => {
    const { page } = await open(twoArms);
    await page.getByRole('combobox', { name: 'Outcome' }).selectOption('!regressed');
    const outcomes = await episodes(page, 'Outcome');
    expect(outcomes.length).toBeGreaterThan(0);
    expect(new Set(outcomes)).toEqual(new Set(['× failure']));
  });

  it('turns pages of the episodes', async () => {
    const { page } = await open(usual);
    await page.getByRole('combobox', { name: 'Outcome' }).selectOption('');
    const back = page.getByRole('button', { name: 'Previous' });
    const next = page.getByRole('button', { name: 'Next' });
    expect(await back.isDisabled()).toBe(true);
    const seen = await episodes(page, 'State');
    await next.click();
    expect(await page.locator('.pager [role=status]').textContent()).toBe('16–30 of 200');
    expect(await episodes(page, 'State')).not.toEqual(seen);
    await back.click();
    expect(await episodes(page, 'State')).toEqual(seen);
    for (let turned = 1; turned < 14; turned += 1) await next.click();
    expect(await next.isDisabled()).toBe(true);
  });

  it('opens an episode with its error, session and the command that runs it again', async () => {
    const opened = await open(usual);
    const { page } = opened;
    await page.getByRole('combobox', { name: 'Outcome' }).selectOption({ label: 'error' });
    const button = page.getByRole('button', { name: /^Open task/ }).first();
    await button.click();
    const seen = page.locator('.opened .seen');
    expect(await seen.textContent()).toContain(
      'policy server closed the connection (code 1011) after 41 calls',
    );
    expect(await seen.textContent()).toMatch(
      /rollout-bench run --workspace <workspace> .*--tasks \d+ --init-states \d+/,
    );
    expect(await seen.textContent()).toContain('rb-gh1744-bench-libero_spatial-');
    await button.click();
    expect(await seen.count()).toBe(0);
    expectQuiet(opened);
  });

  it('shows the episode that a link names, also one that the filters hide', async () => {
    const { page } = await open(usual, { hash: '#ep-t1-i2-r0-candidate' });
    const row = page.locator('#ep-t1-i2-r0-candidate');
    expect(await row.isVisible()).toBe(true);
    expect(await page.evaluate('document.activeElement.id')).toBe('ep-t1-i2-r0-candidate');
  });

  it('shows a linked episode that is on a later page', async () => {
    const { page } = await open(reportPage(sampleRun({ tasks: 10, states: 50 })), {
      hash: '#ep-t9-i48-r0-candidate',
    });
    expect(await page.locator('#ep-t9-i48-r0-candidate').isVisible()).toBe(true);
  });

  it('lets the arrow keys walk the grid, with facts on focus and Escape to hide them', async () => {
    const { page } = await open(usual);
    await page.locator('[data-grid] td > .c[tabindex="0"]').focus();
    expect(await page.locator('[data-grid] td > .c[tabindex="0"]').count()).toBe(1);
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowDown');
    const focused = page.locator('[data-grid] td > .c:focus');
    expect(await focused.getAttribute('aria-label')).toMatch(/^task 1, state 1: /);
    const facts = page.locator('#facts');
    expect(await facts.textContent()).toContain('pick up the black bowl next to the ramekin');
    expect(await facts.textContent()).toContain('rb-gh1744-bench-libero_spatial-t01-i001-r0-candidate-a0');
    expect(await focused.getAttribute('aria-describedby')).toBe('facts');
    await page.keyboard.press('Escape');
    expect(await facts.isVisible()).toBe(false);
    await page.keyboard.press('End');
    expect(await focused.getAttribute('aria-label')).toMatch(/^task 1, state 19: /);
    await page.keyboard.press('Enter');
    expect(await page.locator('#ep-t1-i19-r0-candidate').isVisible()).toBe(true);
  });

  it('keeps the facts inside the window', async () => {
    const { page } = await open(usual, PHONE);
    for (const cell of [
      page.locator('[data-grid] td > .c').first(),
      page.locator('[data-grid] td > .c').nth(19),
    ]) {
      await cell.scrollIntoViewIfNeeded();
      await cell.hover();
      const box = await page.locator('#facts').boundingBox();
      expect(box?.x).toBeGreaterThanOrEqual(0);
      expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(360);
    }
  });

  it('tells everything without scripts', async () => {
    const { page } = await open(usual, { javaScriptEnabled: false });
    expect(await page.locator('main').textContent()).toContain('Task 4 reaches 62.0%');
    expect(await page.locator('.episodes tbody tr').count()).toBe(16);
    expect(await page.locator('#ep-t9-i1-r0-candidate').isVisible()).toBe(true);
    expect(await page.locator('main form, main button').locator('visible=true').count()).toBe(0);
    expect(await page.locator('main').textContent()).toContain('episodes.csv');
    expect(await page.locator('.tasks .rb-whisker').count()).toBe(10);
  });

  it('is accessible and inside of a phone when everything is unfolded, and every link is one', async () => {
    const links = [
      { label: 'Workflow run', address: 'https://github.com/acme/robots/actions/runs/7' },
      { label: 'Pull request #7', address: 'https://github.com/acme/robots/pull/7' },
    ];
    const html = reportPage({ ...sampleRun({ tasks: 20, states: 10 }), page: { links, accepted: false } });
    for (const options of [{ colorScheme: 'dark' } as const, PHONE]) {
      const opened = await open(html, options);
      const { page } = opened;
      const later = page.locator('.later button');
      while ((await later.count()) > 0) await later.first().click();
      await page.evaluate(`for (const fold of document.querySelectorAll('details')) fold.open = true`);
      await page
        .getByRole('button', { name: /^Open task/ })
        .first()
        .click();
      expect(await seriousFindings(page)).toEqual([]);
      expect(await overhang(page)).toBeLessThanOrEqual(0);
      for (const { label, address } of links)
        expect(await page.getByRole('link', { name: label }).getAttribute('href')).toBe(address);
      const inner = await page
        .locator('a[href^="#"]')
        .evaluateAll((all) => all.map((each) => each.getAttribute('href') ?? ''));
      const sections = inner.filter((href) => !href.startsWith('#ep-'));
      for (const href of sections) expect(await page.locator(href).count(), href).toBe(1);
      expectQuiet(opened);
    }
  });

  it('leaves out on paper what paper cannot do', async () => {
    const { page } = await open(usual);
    await page.emulateMedia({ media: 'print' });
    expect(await page.locator('nav').isVisible()).toBe(false);
    expect(await page.locator('.filters').isVisible()).toBe(false);
    expect(await page.locator('.tasks').isVisible()).toBe(true);
    // Pages cannot be turned on paper: there what did not succeed is a list.
    expect(await page.locator('.drawn').isVisible()).toBe(false);
    expect(await page.locator('.listed tbody tr').count()).toBe(16);
  });

  describe('with 10,000 episodes', () => {
    const large = reportPage(sampleRun({ tasks: 100, states: 100 }));

    it('is small and short until something is unfolded', async () => {
      const opened = await open(large, { viewport: { width: 1280, height: 900 } });
      const size = await opened.page.evaluate(
        '[document.querySelectorAll("*").length, document.documentElement.scrollHeight]',
      );
      const [nodes = 0, height = 0] = size as number[];
      expect(nodes).toBeLessThanOrEqual(3_000);
      expect(height).toBeLessThanOrEqual(5_000);
      expectQuiet(opened);
    });

    it('is searched, sorted and unfolded without delay', async () => {
      const opened = await open(large);
      const { page } = opened;
      const timed = async (act: () => Promise<unknown>): Promise<number> => {
        const began = Date.now();
        await act();
        await page.evaluate('new Promise((done) => requestAnimationFrame(() => done(null)))');
        return Date.now() - began;
      };
      const taken = [
        await timed(() => page.getByRole('combobox', { name: 'Outcome' }).selectOption('')),
        await timed(() => page.locator('[data-list] th', { hasText: 'Time, s' }).getByRole('button').click()),
        await timed(() => page.getByRole('searchbox').fill('t39')),
      ];
      expect(Math.max(...taken)).toBeLessThan(RESPONSIVE_MS);
      expect(await page.locator('[data-shown]').textContent()).toBe('100 of 10000 episodes');
      await page.getByRole('button', { name: 'Show all 100 tasks' }).click();
      expect(await page.locator('.tasks tbody tr').count()).toBe(100);
      await page.getByText('Draw the grid of 10000 episodes').click();
      await page.locator('[data-grid] td > .c').nth(1_000).hover();
      expect(await page.locator('#facts').textContent()).toContain('rb-gh1744-bench-libero_spatial-t10-i000');
      expectQuiet(opened);
    });

    it('has every task and up to 500 failed episodes without scripts and on paper', async () => {
      const { page } = await open(large, { javaScriptEnabled: false });
      expect(await page.locator('.tasks tbody tr').count()).toBe(100);
      expect(await page.locator('.episodes tbody tr').count()).toBe(500);
      const { page: paper } = await open(large);
      await paper.emulateMedia({ media: 'print' });
      await expect.poll(() => paper.locator('.listed tbody tr').count()).toBe(500);
      expect(await paper.locator('.tasks tbody tr').count()).toBe(100);
    });

    it('shows a linked episode among all of them', async () => {
      const { page } = await open(large, { hash: '#cell-t99-i98-r0-candidate' });
      expect(await page.locator('#ep-t99-i98-r0-candidate').isVisible()).toBe(true);
      expect(await page.locator('.opened .seen').isVisible()).toBe(true);
    });
  });
});
