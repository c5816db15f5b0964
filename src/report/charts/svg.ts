import { plainLine, xmlText } from '../text/escape.ts';
import { CHART_STYLE } from './chart-style.ts';

/** `file`: an SVG file of its own with its style; `inline`: inside a page that carries CHART_STYLE itself. */
export type Placement = 'file' | 'inline';

interface Drawing {
  readonly width: number;
  readonly height: number;
  /** What the chart shows, for people who do not see it. Unescaped. */
  readonly title: string;
  readonly description: string;
  /** Elements, escaped. */
  readonly body: string;
  readonly placement: Placement;
}

/** Longest title of a row or a point. */
const TITLE_LIMIT = 300;

/** The `svg` element; a file when it stands alone. Equal drawings give equal bytes. */
export function svgElement(drawing: Drawing): string {
  const { width, height, title, description, body, placement } = drawing;
  const label = xmlLine(`${title}. ${description}`);
  const size = `viewBox="0 0 ${num(width)} ${num(height)}" width="${num(width)}" height="${num(height)}"`;
  // A page knows the namespace already, and its own style sheet has the rules.
  if (placement === 'inline')
    return `<svg class="rb-chart" ${size} role="img" aria-label="${label}">${body}</svg>`;
  const ground = `<rect class="rb-ground" width="${num(width)}" height="${num(height)}"/>`;
  return `<svg xmlns="http://www.w3.org/2000/svg" class="rb-chart" ${size} role="img" aria-label="${label}"><title>${xmlLine(title)}</title><style>${CHART_STYLE}</style>${ground}${body}</svg>\n`;
}

/** Foreign text for SVG content and attributes: one line, cut, escaped. */
function xmlLine(text: string, limit = TITLE_LIMIT): string {
  return xmlText(plainLine(text, limit));
}

/** `<title>`: what a pointer that rests on the element shows and a screen reader reads. */
export function titleElement(text: string): string {
  return `<title>${xmlLine(text)}</title>`;
}

interface TextPlace {
  readonly x: number;
  readonly y: number;
  readonly kind: string;
  readonly anchor?: 'start' | 'middle' | 'end';
}

export function textElement(text: string, { x, y, kind, anchor = 'start' }: TextPlace): string {
  const align = anchor === 'start' ? '' : ` text-anchor="${anchor}"`;
  return `<text class="${kind}" x="${num(x)}" y="${num(y)}"${align}>${xmlLine(text)}</text>`;
}

/** A coordinate with at most two decimals: half the bytes, and the same bytes on every machine. */
export function num(value: number): string {
  const rounded = Math.round(value * 100) / 100;
  return Object.is(rounded, -0) ? '0' : String(rounded);
}

/**
 * Text cut to about `units` widths of a Latin letter at the font size in use; characters of other scripts count
 * double, so that no label grows over its neighbour.
 */
export function fitted(text: string, units: number): string {
  const line = plainLine(text, TITLE_LIMIT);
  let used = 0;
  let kept = '';
  for (const character of line) {
    used += widthOf(character);
    if (used > units) return `${kept.trimEnd()}…`;
    kept += character;
  }
  return kept;
}

function widthOf(character: string): number {
  const code = character.codePointAt(0) ?? 0;
  if (code > 0x2e7f) return 2;
  return /[MW@%mw]/.test(character) ? 1.5 : 1;
}
