import { makeSortable } from './sorting.ts';

/** Makes what a browser with scripts holds as text into elements, by a button or for paper. */
export function connectLater(): void {
  for (const box of boxes(document)) {
    const button = box.querySelector('button');
    if (button === null) continue;
    button.hidden = false;
    button.addEventListener('click', () => unfold(box)?.focus());
  }
  beforePrinting(() => {
    for (const box of boxes(document)) unfold(box);
    for (const list of document.querySelectorAll<HTMLElement>('[data-episodes]')) printList(list);
  });
}

const boxes = (root: ParentNode): HTMLElement[] => [...root.querySelectorAll<HTMLElement>('[data-later]')];

/** The cases that are not on the page yet. */
export function unfoldCases(): void {
  const section = document.getElementById('cases');
  if (section !== null) for (const box of boxes(section)) unfold(box);
}

/** @returns what the focus goes to when somebody asked for it: not on paper. */
function unfold(box: HTMLElement): HTMLElement | null {
  const content = written(box);
  const into = document.getElementById(box.dataset['into'] ?? '');
  if (into instanceof HTMLTableElement) {
    const body = into.tBodies[0];
    const rows = [...content.querySelectorAll('tbody tr')];
    for (const header of into.querySelectorAll('th[aria-sort]')) header.setAttribute('aria-sort', 'none');
    body?.append(...rows);
    box.remove();
    return into.closest<HTMLElement>('.scroll');
  }
  makeSortable(content);
  const first = content.firstElementChild;
  box.replaceWith(content);
  return first?.querySelector<HTMLElement>('summary, [tabindex]') ?? null;
}

/** Escaped by the page's writer, as everything else in the page. */
function written(box: ParentNode): DocumentFragment {
  const parsed = document.createElement('template');
  parsed.innerHTML = box.querySelector('noscript')?.textContent ?? '';
  return parsed.content;
}

/** On paper the list for those without scripts takes the place of pages that nobody can turn. */
function printList(list: HTMLElement): void {
  if (list.querySelector('.listed') !== null) return;
  const box = document.createElement('div');
  box.className = 'listed';
  const content = written(list);
  // On the screen the drawn rows have the same names.
  for (const row of content.querySelectorAll('[id]')) row.removeAttribute('id');
  box.append(content);
  list.append(box);
}

/** Browsers tell of it in one of two ways. */
function beforePrinting(act: () => void): void {
  addEventListener('beforeprint', act);
  matchMedia('print').addEventListener('change', ({ matches }) => {
    if (matches) act();
  });
}
