import { day, type HistoryMark, historySvg } from '../../charts/history.ts';
import { type DataPoint, type DataSeries, type IndexData, markName, VERDICTS } from '../index-data.ts';

/** Two-sided 95 % quantile of the normal distribution. */
const Z = 1.959963984540054;

interface Card {
  readonly element: HTMLElement;
  readonly figure: HTMLElement;
  readonly series: DataSeries;
  /** What is drawn now, so that nothing is drawn twice. */
  drawn: string;
}

interface Wanted {
  readonly suite: string;
  readonly branch: string;
  readonly task: string;
  readonly policy: string;
}

/** Draws every chart for the room it has, and again for each filter. */
export function connectHistory(): void {
  const data = readData();
  const form = document.querySelector<HTMLFormElement>('form[data-filters]');
  if (data === null || form === null) return;
  const cards = findCards(data);
  const controls = [...form.querySelectorAll<HTMLSelectElement>('[data-filter]')];
  const chosen = (name: string): string =>
    controls.find((control) => control.dataset['filter'] === name)?.value ?? '';
  const apply = (): void => {
    const wanted: Wanted = {
      suite: chosen('suite'),
      branch: chosen('branch'),
      task: chosen('task'),
      policy: chosen('policy'),
    };
    const shown = cards.filter((card) => showCard(card, wanted, data.policies)).length;
    tellCount(form, shown, cards.length);
  };
  form.addEventListener('input', apply);
  form.addEventListener('submit', (event) => event.preventDefault());
  form.hidden = false;
  apply();
  addEventListener('resize', apply);
}

function tellCount(form: HTMLFormElement, shown: number, all: number): void {
  const output = form.querySelector('output');
  if (output !== null) output.textContent = shown === all ? '' : `${shown} of ${all} series`;
  const none = document.querySelector<HTMLElement>('[data-none]');
  if (none !== null) none.hidden = shown > 0;
}

function readData(): IndexData | null {
  const text = document.getElementById('history')?.textContent ?? '';
  if (text === '') return null;
  const data: IndexData = JSON.parse(text); // written by the same program into the same file
  return data;
}

function findCards({ series }: IndexData): Card[] {
  return [...document.querySelectorAll<HTMLElement>('[data-series]')].flatMap((element) => {
    const figure = element.querySelector<HTMLElement>('[data-chart]');
    const own = series[Number(element.dataset['series'])];
    return figure === null || own === undefined ? [] : [{ element, figure, series: own, drawn: '' }];
  });
}

function showCard(card: Card, wanted: Wanted, policies: readonly string[]): boolean {
  const { series, element, figure } = card;
  const place = wanted.task === '' ? null : series.tasks.indexOf(Number(wanted.task));
  const policy = wanted.policy === '' ? null : policies.indexOf(wanted.policy);
  const points = series.points.filter((point) => policy === null || point[6] === policy);
  const show =
    (wanted.suite === '' || wanted.suite === series.suite) &&
    (wanted.branch === '' || wanted.branch === series.branch) &&
    place !== -1 &&
    points.length > 0;
  element.hidden = !show;
  if (!show) return false;
  for (const row of element.querySelectorAll<HTMLTableRowElement>('tr[data-policy]'))
    row.hidden = policy !== null && row.dataset['policy'] !== wanted.policy;
  const drawn = [figure.clientWidth, wanted.task, wanted.policy].join('\n');
  if (drawn !== card.drawn) {
    card.drawn = drawn;
    draw(card, place, points);
  }
  return true;
}

function draw({ series, figure }: Card, place: number | null, points: readonly DataPoint[]): void {
  const task = place === null ? '' : `, task ${series.tasks[place]}`;
  const svg = historySvg(
    {
      title: `${series.suite} on ${series.branch}${task}: success rate`,
      points: points.map((point) => (place === null ? suiteMark(point) : taskMark(point, place))),
      expected: place === null ? series.expected : null,
      width: figure.clientWidth,
    },
    'inline',
  );
  const parsed = document.createElement('template');
  parsed.innerHTML = svg; // escaped by historySvg, as in the page itself
  figure.replaceChildren(parsed.content);
}

function suiteMark(point: DataPoint): HistoryMark {
  const [, successes, valid, low, high] = point;
  return { ...common(point), successes, valid, low, high };
}

/** Intervals of tasks are not in the data; this is Wilson's, as everywhere. */
function taskMark(point: DataPoint, place: number): HistoryMark {
  const counts = point[9][place];
  const [successes, valid] = counts === undefined || counts === 0 ? [0, 0] : counts;
  if (valid === 0) return { ...common(point), alarm: false, successes, valid, low: null, high: null };
  const rate = successes / valid;
  const scale = 1 + (Z * Z) / valid;
  const centre = (rate + (Z * Z) / (2 * valid)) / scale;
  const half = (Z * Math.sqrt((rate * (1 - rate)) / valid + (Z * Z) / (4 * valid * valid))) / scale;
  return {
    ...common(point),
    alarm: false,
    successes,
    valid,
    low: Math.max(0, centre - half),
    high: Math.min(1, centre + half),
  };
}

function common(point: DataPoint): Pick<HistoryMark, 'at' | 'verdict' | 'alarm' | 'name'> {
  const at = point[0] * 1000;
  return {
    at,
    verdict: VERDICTS[point[5]] ?? 'INVALID',
    alarm: point[7] === 1,
    name: markName(day(at), point[8]),
  };
}
