// Writes src/report/page/page-assets.ts: the scripts and style sheets of the HTML pages as text.
//   node .github/scripts/page-assets.mjs
// The pages carry them inside, so the program needs them as strings, while people want to write them as TypeScript and
// CSS that is checked and formatted like the rest. A unit test compares the file with what this makes.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const CLIENT = 'src/report/page/client';
export const ASSETS_FILE = join(ROOT, 'src/report/page/page-assets.ts');

const ASSETS = [
  { name: 'REPORT_SCRIPT', entry: 'report.ts' },
  { name: 'REPORT_STYLE', entry: 'report.css' },
  { name: 'INDEX_SCRIPT', entry: 'index.ts' },
  { name: 'INDEX_STYLE', entry: 'index.css' },
];

async function bundled(entry) {
  const script = entry.endsWith('.ts');
  const result = await build({
    absWorkingDir: ROOT,
    entryPoints: [`${CLIENT}/${entry}`],
    bundle: true,
    write: false,
    minify: true,
    charset: 'utf8',
    legalComments: 'none',
    logLevel: 'warning',
    // The style sheets keep what they say; only the scripts have a language level to meet.
    ...(script ? { format: 'iife', platform: 'browser', target: 'es2022' } : {}),
  });
  return result.outputFiles[0].text.trim();
}

/** The text of page-assets.ts. */
export async function pageAssets() {
  const constants = [];
  for (const { name, entry } of ASSETS) {
    const text = await bundled(entry);
    // An element's own end tag would end it early.
    const end = entry.endsWith('.ts') ? /<\/script|<!--/i : /<\/style/i;
    if (end.test(text)) throw new Error(`${entry} would end its element`);
    constants.push(`/** ${CLIENT}/${entry} */\nexport const ${name} =\n  ${JSON.stringify(text)};\n`);
  }
  return `// Made by .github/scripts/page-assets.mjs from the files in client/; change those.\n\n${constants.join('\n')}`;
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  writeFileSync(ASSETS_FILE, await pageAssets());
}
