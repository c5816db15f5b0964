import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import axe from 'axe-core';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';

const PLACES = [
  process.env['CHROMIUM'] ?? '',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
];
const EXECUTABLE = PLACES.find((path) => path !== '' && existsSync(path));

/** Why these tests cannot run here, null when they can. */
export const NO_BROWSER =
  EXECUTABLE === undefined
    ? 'there is no chromium here; apt-get install chromium, or set CHROMIUM to its path'
    : null;
if (NO_BROWSER !== null) console.warn(`Browser tests are skipped: ${NO_BROWSER}`);

const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** A page that was opened, with everything it asked for and complained about. */
export interface Opened {
  readonly page: Page;
  readonly requests: readonly string[];
  readonly complaints: readonly string[];
}

/** One browser for the tests of a file; each page has a context and a file of its own. */
export function useBrowser(): {
  open: (html: string, options?: BrowserContextOptions & { hash?: string }) => Promise<Opened>;
} {
  let browser: Browser | undefined;
  const folder = mkdtempSync(join(tmpdir(), 'rollout-bench-page-'));
  const opened: Page[] = [];
  beforeAll(async () => {
    if (EXECUTABLE !== undefined)
      browser = await chromium.launch({ executablePath: EXECUTABLE, args: FLAGS });
  });
  afterEach(async () => {
    for (const page of opened.splice(0)) await page.context().close();
  });
  afterAll(async () => {
    await browser?.close();
    rmSync(folder, { recursive: true, force: true });
  });
  let count = 0;
  const open = async (
    html: string,
    { hash = '', ...options }: BrowserContextOptions & { hash?: string } = {},
  ) => {
    if (browser === undefined) throw new Error('no browser');
    count += 1;
    const file = join(folder, `page-${count}.html`);
    writeFileSync(file, html);
    const context = await browser.newContext(options);
    const page = await context.newPage();
    opened.push(page);
    const requests: string[] = [];
    const complaints: string[] = [];
    context.on('request', (request) => requests.push(request.url()));
    page.on('console', (message) => complaints.push(`${message.type()}: ${message.text()}`));
    page.on('pageerror', (error) => complaints.push(String(error)));
    page.on('dialog', (dialog) => {
      complaints.push(`dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    await page.goto(pathToFileURL(file).href + hash);
    return { page, requests, complaints };
  };
  return { open };
}

/** Nothing was asked for but the file itself, and nobody complained. */
export function expectQuiet({ requests, complaints }: Opened): void {
  expect(complaints).toEqual([]);
  expect(requests.filter((url) => !url.startsWith('data:')).map((url) => new URL(url).protocol)).toEqual([
    'file:',
  ]);
}

/** Serious and critical findings of axe, each as `rule: element`. */
export async function seriousFindings(page: Page): Promise<readonly string[]> {
  // Evaluated by the debugger, so the page's content policy stays as it is.
  await page.evaluate(axe.source);
  const findings: unknown = await page.evaluate(
    `axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .flatMap(({ id, nodes }) => nodes.slice(0, 5).map(({ html }) => id + ': ' + html.slice(0, 200))))`,
  );
  return Array.isArray(findings) ? findings.map(String) : ['axe gave no list'];
}

/** How much wider than the window the page is, in pixels. */
export async function overhang(page: Page): Promise<number> {
  return page.evaluate(`document.documentElement.scrollWidth - document.documentElement.clientWidth`);
}
