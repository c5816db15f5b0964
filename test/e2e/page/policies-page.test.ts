import { describe, expect, it } from 'vitest';
import { policiesPage } from '../../../src/report/page/policies-page.ts';
import { HOSTILE_NAMES } from '../../unit/report/hostile.ts';
import { comparisonOf } from '../../unit/report/policies-builder.ts';
import { expectQuiet, NO_BROWSER, overhang, seriousFindings, useBrowser } from './browser.ts';

const usual = policiesPage(comparisonOf(['pi05', 'pi0', 'smolvla', 'octo']));
const hostile = policiesPage(comparisonOf(HOSTILE_NAMES.slice(0, 15)));

describe.skipIf(NO_BROWSER !== null)('the page of compared policies in a browser', () => {
  const { open } = useBrowser();

  it.each([usual, hostile])(
    'asks nothing of any network, complains of nothing and fits a phone',
    async (html) => {
      const opened = await open(html, { viewport: { width: 360, height: 740 }, javaScriptEnabled: true });
      expectQuiet(opened);
      expect(await overhang(opened.page)).toBeLessThanOrEqual(0);
    },
  );

  it.each(['light', 'dark'] as const)('has no serious accessibility finding: %s', async (colorScheme) => {
    const { page } = await open(usual, { colorScheme });
    expect(await seriousFindings(page)).toEqual([]);
  });

  it('is whole without scripts', async () => {
    const { page } = await open(usual, { javaScriptEnabled: false });
    expect(await page.locator('tbody tr').count()).toBe(4 + 6);
    expect(await page.locator('circle.rb-dot').count()).toBe(4);
  });
});
