import { UNKNOWN } from '../text/format.ts';
import type { ViewRow } from '../view/report-input.ts';
import { foreign, type Html, html } from './html.ts';

/** A wide table scrolls in a box of its own, so that the page never does; the box takes the keyboard. */
export function scrollBox(label: string, content: Html): Html {
  return html`<div class="scroll" role="region" tabindex="0" aria-label="${label}, scrolls sideways">${content}</div>`;
}

/** Label and value pairs; ids and digests in the fixed-width font. */
export function factList(rows: readonly ViewRow[]): Html {
  return html`<dl class="facts">${rows.map(
    ({ label, value, code }) =>
      html`<div><dt>${foreign(label)}</dt><dd>${code ? html`<code>${value}</code>` : foreign(value)}</dd></div>`,
  )}</dl>`;
}

/** As `factList`; what is not known has one row for all. Escaped one by one, so that a long list is not cut. */
export function knownFacts(rows: readonly ViewRow[]): Html {
  const isKnown = ({ value }: ViewRow): boolean => value !== 'unknown' && value !== UNKNOWN;
  const known = rows.filter(isKnown);
  const unknown = rows.filter((row) => !isKnown(row)).map(({ label }) => label.replace(/^— of it /, ''));
  if (unknown.length < 2) return factList(rows);
  const names = unknown.map((label, index) => html`${index === 0 ? '' : ', '}${foreign(label)}`);
  return html`${factList(known)}<p class="aside unknown">Not known: ${names}.</p>`;
}
