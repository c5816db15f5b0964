const DAY = 86_400_000;
const DAY_STEPS = [1, 2, 7, 14, 30, 61, 91, 182, 365, 730, 1825, 3650];
const RATE_STEPS = [0.05, 0.1, 0.25, 0.5];
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
/** Above this many days a label says month and year instead of day and month. */
const LONG = 300 * DAY;

interface Tick {
  readonly value: number;
  readonly label: string;
}

/** An axis from its lowest to its highest value, with at most a handful of ticks inside. */
export interface Axis {
  readonly from: number;
  readonly to: number;
  readonly ticks: readonly Tick[];
}

/** Rates as percent: up to 100 %, down to what is drawn, never closer than 20 points. */
export function rateAxis(lowest: number): Axis {
  const from = Math.min(0.8, Math.max(0, Math.floor((lowest - 0.02) * 10) / 10));
  const step = RATE_STEPS.find((size) => (1 - from) / size <= 5) ?? 0.5;
  const ticks: Tick[] = [];
  for (let index = 0; 1 - index * step >= from - 1e-9; index += 1) {
    const value = Math.round((1 - index * step) * 1000) / 1000;
    ticks.push({ value, label: `${Math.round(value * 100)}%` });
  }
  return { from, to: 1, ticks };
}

/** UTC days between the first and the last moment; one moment alone gets half a day on both sides. */
export function timeAxis(first: number, last: number, room: number): Axis {
  const [from, to] = first === last ? [first - DAY / 2, last + DAY / 2] : [first, last];
  const span = to - from;
  const step = DAY * (DAY_STEPS.find((days) => span / (days * DAY) <= room) ?? 7300);
  const ticks: Tick[] = [];
  // The last day is the one people look for, so ticks are counted back from it.
  for (let value = Math.floor(to / DAY) * DAY; value >= from; value -= step) {
    ticks.unshift({ value, label: dayLabel(value, span) });
  }
  return { from, to, ticks };
}

function dayLabel(value: number, span: number): string {
  const date = new Date(value);
  const month = MONTHS[date.getUTCMonth()] ?? '';
  return span > LONG ? `${month} ${date.getUTCFullYear()}` : `${date.getUTCDate()} ${month}`;
}
