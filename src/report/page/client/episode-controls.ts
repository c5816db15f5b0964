import { element } from './dom.ts';
import { changeOf, type Episodes, type Wanted } from './episode-model.ts';

interface Told {
  readonly from: number;
  readonly shown: number;
  readonly matching: number;
  readonly all: number;
}

/** Filters and the turning of pages. */
export interface Controls {
  readonly form: HTMLElement;
  readonly pager: HTMLElement;
  readonly wanted: () => Wanted;
  readonly clear: () => void;
  readonly tell: (told: Told) => void;
  readonly onFilter: (act: () => void) => void;
  readonly onTurn: (act: (by: number) => void) => void;
}

type Control = HTMLInputElement | HTMLSelectElement;

export function connectControls(episodes: Episodes): Controls {
  const { data } = episodes;
  const task = select('Task', [
    ['', 'all'],
    ...data.tasks.map(([id, said]) => [String(id), `${id} · ${said.slice(0, 60)}`] as const),
  ]);
  const outcome = select('Outcome', outcomeOptions(episodes));
  const arm = select('Arm', [
    ['', 'both'],
    ['candidate', 'candidate'],
    ['baseline', 'baseline'],
  ]);
  const text = element('input', {
    type: 'search',
    placeholder: 'code, message, session',
    autocomplete: 'off',
  });
  const output = element('output', { 'data-shown': '' });
  const form = element(
    'form',
    { class: 'filters' },
    label('Task', task),
    label('Outcome', outcome),
    data.several ? label('Arm', arm) : null,
    label('Text', text),
    output,
  );
  form.addEventListener('submit', (event) => event.preventDefault());
  const pager = pagerOf();
  // People come for the failures; with none, everything is shown.
  if (data.rows.some((row) => row[4] !== 0)) outcome.value = '!notable';
  const controls: readonly Control[] = [task, outcome, arm, text];
  return {
    form,
    pager: pager.element,
    wanted: () => ({ task: task.value, outcome: outcome.value, arm: arm.value, text: text.value.trim() }),
    clear: () => {
      for (const control of controls) control.value = '';
    },
    tell: (told) => {
      output.textContent = `${told.matching} of ${told.all} episodes`;
      pager.tell(told);
    },
    onFilter: (act) => form.addEventListener('input', act),
    onTurn: pager.onTurn,
  };
}

function outcomeOptions({ data }: Episodes): (readonly [string, string])[] {
  const present = new Set(data.rows.map((row) => row[4]));
  const changed = new Set(data.rows.map(changeOf));
  return [
    ['', 'all'],
    ['!notable', 'without success'],
    ...['regressed', 'fixed']
      .filter((change) => changed.has(change))
      .map((change) => [`!${change}`, change] as const),
    ...data.outcomes.flatMap(([name], at) => (present.has(at) ? [[String(at), name] as const] : [])),
  ];
}

function pagerOf() {
  const back = element('button', { type: 'button', class: 'more' }, 'Previous');
  const next = element('button', { type: 'button', class: 'more' }, 'Next');
  const place = element('span', { class: 'aside', role: 'status' });
  return {
    element: element('div', { class: 'pager' }, back, next, place),
    tell: ({ from, shown, matching }: Told): void => {
      back.disabled = from === 0;
      next.disabled = from + shown >= matching;
      place.textContent = matching === 0 ? 'None' : `${from + 1}–${from + shown} of ${matching}`;
    },
    onTurn: (act: (by: number) => void): void => {
      back.addEventListener('click', () => act(-1));
      next.addEventListener('click', () => act(1));
    },
  };
}

function label(title: string, control: Control): HTMLElement {
  return element('label', {}, `${title} `, control);
}

function select(
  name: string,
  options: readonly (readonly [value: string, text: string])[],
): HTMLSelectElement {
  const made = options.map(([value, text]) => element('option', { value }, text));
  return element('select', { 'data-filter': name.toLowerCase() }, ...made);
}
