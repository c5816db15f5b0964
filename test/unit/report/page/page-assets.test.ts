import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ASSETS_FILE, pageAssets } from '../../../../.github/scripts/page-assets.mjs';

describe('page-assets.ts', () => {
  it('is what the client files build; else run: npm run build:pages', async () => {
    expect(readFileSync(ASSETS_FILE, 'utf8')).toBe(await pageAssets());
  });
});
