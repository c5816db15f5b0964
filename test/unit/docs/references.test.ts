import { existsSync, statSync } from 'node:fs';
import { join, posix } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ERROR_CATALOGUE } from '../../../src/errors/catalogue/index.ts';
import { INPUT_NAMES } from '../../../src/inputs/input-table.ts';
import { WORKFLOW_EVENTS } from '../../../src/platform/workflow-events.ts';
import { ROOT } from '../meta/source-files.ts';
import { anchorsOf, type Document, documents, linksOf } from './markdown.ts';

const all = documents();
const byPath = new Map(all.map((document) => [document.path, document]));

/** Why a link leads nowhere; null when it leads somewhere or out of the repository. */
function brokenLink(from: Document, target: string): string | null {
  if (/^[a-z]+:/.test(target)) return null;
  const [file = '', anchor] = target.split('#');
  const path = file === '' ? from.path : posix.normalize(posix.join(posix.dirname(from.path), file));
  // Built by others, and there in every release.
  if (path.startsWith('dist/')) return null;
  if (!existsSync(join(ROOT, path))) return `${target}: no such file`;
  if (anchor === undefined || statSync(join(ROOT, path)).isDirectory()) return null;
  const document = byPath.get(path);
  return document !== undefined && anchorsOf(document).has(anchor) ? null : `${target}: no such heading`;
}

describe('references in the documents', () => {
  it.each(all.map((document) => [document.path, document] as const))(
    '%s links to what exists',
    (_path, document) => {
      const broken = linksOf(document).map((target) => brokenLink(document, target));
      expect(broken.filter((problem) => problem !== null)).toEqual([]);
    },
  );

  it.each(all.map((document) => [document.path, document] as const))(
    '%s names error codes of the catalogue only',
    (_path, { text }) => {
      const codes = [...new Set(text.match(/\bRB\d{3}\b/g) ?? [])];
      expect(codes.filter((code) => !Object.hasOwn(ERROR_CATALOGUE, code))).toEqual([]);
    },
  );

  it('reach every document from the README in at most two steps', () => {
    const next = (path: string): string[] => {
      const document = byPath.get(path);
      if (document === undefined) return [];
      return linksOf(document).map((target) =>
        posix.normalize(posix.join(posix.dirname(path), target.split('#')[0] ?? '')),
      );
    };
    const first = next('README.md');
    const reached = new Set(['README.md', ...first, ...first.flatMap(next)]);
    const lost = all.filter(
      ({ path }) => path.startsWith('docs/') && !path.startsWith('docs/examples/') && !reached.has(path),
    );
    expect(lost.map(({ path }) => path)).toEqual([]);
  });

  it('the page of baselines says of each event what it is compared with', () => {
    const page = byPath.get('docs/baselines-and-verdicts.md')?.text ?? '';
    const named = Object.entries(WORKFLOW_EVENTS).filter(([, base]) => base !== 'none');
    expect(named.map(([event]) => event).filter((event) => !page.includes(`\`${event}\``))).toEqual([]);
  });

  it('the page of inputs lists each once', () => {
    const page = byPath.get('docs/inputs.md')?.text ?? '';
    expect(INPUT_NAMES.filter((name) => page.split(`\n| \`${name}\``).length !== 2)).toEqual([]);
  });
});
