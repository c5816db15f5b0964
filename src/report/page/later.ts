import { type Html, html } from './html.ts';

/**
 * What is there without scripts and on paper, and for everybody else when it is asked for: a browser with scripts takes
 * what is inside for text, so that it costs nothing before.
 * @param into id of the table that rows are added to; null: it is put in this place
 */
export function later(label: string, content: Html, into: string | null = null): Html {
  const target = into === null ? null : html` data-into="${into}"`;
  return html`<div class="later" data-later${target}><noscript>${content}</noscript><button type="button" class="more" hidden>${label}</button></div>`;
}
