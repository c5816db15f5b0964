import { markdownText } from '../text/escape.ts';
import { ROUNDING_RULE } from '../text/format.ts';
import type { CommentInput } from './comment-input.ts';

export const ICONS: Readonly<Record<string, string>> = {
  PASS: '✅',
  FAIL: '❌',
  INCONCLUSIVE: '❔',
  INVALID: '⚠️',
};

/** Of the long form, and of every comment that has no result yet. */
export function headline({ marker, verdict, suites, unauthenticated }: CommentInput): string {
  const names = suites.slice(0, 5).map(({ view }) => markdownText(view.suite));
  const more = suites.length > 5 ? ` and ${suites.length - 5} more` : '';
  const of = names.length === 0 ? '' : ` of ${names.join(', ')}${more}`;
  const fork = unauthenticated ? '\n\n> From a fork: these results are not authenticated.' : '';
  if (marker.state === 'running') return `## ⏳ Benchmark${of} is running${fork}`;
  const icon = ICONS[verdict] ?? '';
  const interrupted = marker.state === 'interrupted' ? ' (interrupted: what was measured until then)' : '';
  return `## ${icon} Benchmark${of}: ${markdownText(verdict)}${interrupted}${fork}`;
}

export function footer({ marker, runUrl, artifactUrl, reportUrl, suites }: CommentInput): string {
  const link = (text: string, url: string | null) => (url === null ? null : `[${text}](${safeUrl(url)})`);
  const links = [link('report', reportUrl), link('artifact', artifactUrl), link('workflow run', runUrl)];
  const shown = links.filter((item) => item !== null);
  const rule = suites.length === 0 ? '' : ` ${ROUNDING_RULE}`;
  return `\n<sub>Measured at \`${marker.head.slice(0, 12)}\`.${rule}${shown.length === 0 ? '' : ` ${shown.join(' · ')}`}</sub>\n`;
}

/** A row of a Markdown table. */
export function row(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |\n`;
}

/** Our own addresses; characters that would end a Markdown link are percent-encoded. */
export function safeUrl(url: string): string {
  return url.replace(/[\s()<>|"`\\]/g, (found) => `%${found.charCodeAt(0).toString(16).padStart(2, '0')}`);
}
