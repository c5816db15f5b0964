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
