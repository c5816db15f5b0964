import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { ROOT } from '../meta/source-files.ts';

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const manifest = z
  .object({
    version: z.string(),
    overrides: z.record(z.string(), z.string()),
    scripts: z.record(z.string(), z.string()),
  })
  .parse(JSON.parse(read('package.json')));
const page = read('.github/CONTRIBUTING.md');

/** Rows of the table of overrides: what is overridden, and its reason. */
function explained(text: string): ReadonlyMap<string, string> {
  const rows = text.matchAll(/^\| `(@?[\w./-]+)` \| (.+?) \| .+ \|$/gm);
  return new Map([...rows].map(([, name = '', why = '']) => [name, why]));
}

describe('the page of contributing', () => {
  it('says why each package is overridden, and of no other', () => {
    const reasons = explained(page);
    expect([...reasons.keys()].sort()).toEqual(Object.keys(manifest.overrides).sort());
    expect([...reasons].filter(([, why]) => why.split(' ').length < 5)).toEqual([]);
  });

  it('names scripts that exist', () => {
    const named = [...page.matchAll(/\bnpm run (?:-s )?([a-z:]+)/g)].map(([, name = '']) => name);
    expect(named).toContain('dev');
    expect(named.filter((name) => manifest.scripts[name] === undefined)).toEqual([]);
  });
});

describe('the changelog', () => {
  const headings = [...read('docs/changelog.md').matchAll(/^## (.+)$/gm)].map(([, heading = '']) => heading);

  it('has an entry for each version up to the one of the package, newest first', () => {
    const versions = headings.filter((heading) => heading !== 'Next release');
    expect(versions[0]).toBe(manifest.version);
    expect(versions.filter((version) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([]);
    expect(versions.toSorted((a, b) => b.localeCompare(a, 'en', { numeric: true }))).toEqual(versions);
    expect(headings.indexOf('Next release')).toBeLessThan(1);
  });
});
