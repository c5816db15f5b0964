import { describe, expect, it } from 'vitest';
import { leaderboardPage } from '../../../src/report/page/leaderboard-page.ts';
import { HOSTILE_NAMES } from '../../unit/report/hostile.ts';
import { comparisonOf } from '../../unit/report/policies-builder.ts';
import { expectQuiet, NO_BROWSER, overhang, seriousFindings, useBrowser } from './browser.ts';

const board = (name: string, policies: readonly string[]) => ({
  name,
  comparison: comparisonOf(policies),
  changedAt: '2026-11-28T02:20:00.000Z',
  earlierRuns: 3,
});
const usual = leaderboardPage('acme/robots', [
  board('libero_spatial', ['pi05', 'pi0', 'smolvla', 'octo']),
  board('release', ['pi05', 'pi0']),
]);
const hostile = leaderboardPage(HOSTILE_NAMES[0] ?? '', [
  board(HOSTILE_NAMES[1] ?? '', HOSTILE_NAMES.slice(2, 15)),
]);

describe.skipIf(NO_BROWSER !== null)('leaderboard.html in a browser', () => {
  const { open } = useBrowser();

  it.each([
    ['two boards', usual],
    ['hostile names', hostile],
    ['no board yet', leaderboardPage('a/b', [])],
  ])('asks nothing of any network, complains of nothing and fits a phone: %s', async (_, html) => {
    const opened = await open(html, { viewport: { width: 360, height: 740 }, javaScriptEnabled: true });
    expectQuiet(opened);
    expect(await overhang(opened.page)).toBeLessThanOrEqual(0);
  });

  it.each(['light', 'dark'] as const)('has no serious accessibility finding: %s', async (colorScheme) => {
    const { page } = await open(usual, { colorScheme });
    expect(await seriousFindings(page)).toEqual([]);
  });

  it('shows every board with its plot and its pairs without scripts, and leads back to the history', async () => {
    const { page } = await open(usual, { javaScriptEnabled: false });
    expect(await page.locator('h2').allInnerTexts()).toEqual(
      expect.arrayContaining(['libero_spatial', 'release']),
    );
    expect(await page.locator('circle.rb-dot').count()).toBe(4 + 2);
    expect(await page.locator('tbody tr').count()).toBe(4 + 6 + 2 + 1);
    expect(await page.getByRole('link', { name: 'History' }).getAttribute('href')).toBe('index.html');
  });
});
