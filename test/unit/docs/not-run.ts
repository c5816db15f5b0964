import type { Document } from './markdown.ts';

const MARK = /<!-- not run: (.+?) -->\n\s*```(?:sh|bash|shell|console)\n/g;

/** Blocks of commands that no test can run here, by the line of their fence, with the reason that stands before each. */
export function notRun({ path, text }: Document): ReadonlyMap<string, string> {
  return new Map(
    [...text.matchAll(MARK)].map((found) => {
      const fence = found.index + found[0].trimEnd().lastIndexOf('\n') + 1;
      return [`${path}:${text.slice(0, fence).split('\n').length}`, found[1] ?? ''];
    }),
  );
}
