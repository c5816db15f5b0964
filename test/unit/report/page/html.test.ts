import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { html, trusted } from '../../../../src/report/page/html.ts';

const LONG = 'x'.repeat(50_000);

describe('html', () => {
  it('is its parts and values in order, however long each is', () => {
    const piece = fc.constantFrom('', 'a', LONG, '<i>');
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 6 }), piece, (list, last) => {
        const one = html`<p>${list.map(trusted)}</p>${null}${trusted(last)}.`;
        const text = `<p>${list.join('')}</p>${last}.`;
        expect(one.text).toBe(text);
        expect(html`${one}${[one, null]}`.text).toBe(text + text);
      }),
    );
  });

  it('escapes what is no HTML, in lists of lists as well', () => {
    expect(html`<b>${'<i>'}${[['&', 3], html`<br>`]}</b>`.text).toBe('<b>&#60;i&#62;&#38;3<br></b>');
  });

  it('copies a long text at no level, and holds few pieces of short ones', () => {
    let page = html`<td>${trusted(LONG)}</td>`;
    for (let level = 0; level < 20; level += 1) page = html`<div>${page}</div>`;
    expect(page.pieces).toHaveLength(3);
    expect(page.pieces[1]).toBe(LONG);
    expect(html`${Array.from({ length: 2000 }, () => html`<td>1</td>`)}`.pieces).toHaveLength(1);
  });
});
