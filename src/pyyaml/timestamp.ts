import { TIMESTAMP_PATTERN } from './resolve.ts';
import { PyTimestamp } from './values.ts';

const PARTS =
  /^(\d{4})-(\d\d?)-(\d\d?)(?:(?:[Tt]|[ \t]+)(\d\d?):(\d\d):(\d\d)(?:\.(\d*))?(?:[ \t]*(Z|([-+])(\d\d?)(?::(\d\d))?))?)?\n?$/;

/** A point in time as its text states it. */
interface Moment {
  readonly date: string;
  /** Time of day with microseconds; null for a date alone. */
  readonly time: string | null;
  /** Minutes east of Greenwich; null when no zone is stated. */
  readonly zone: number | null;
}

/** The value of a time stamp; null when it is none, or an impossible one (31 February), on which the peer fails. */
export function timestampValue(text: string): PyTimestamp | null {
  const moment = momentOf(text);
  if (moment === null) return null;
  // With the tag, spellings pass that would be text without it.
  return new PyTimestamp(TIMESTAMP_PATTERN.test(text) && !text.endsWith('\n') ? text : isoText(moment));
}

/** As the peer's language writes it: `2026-08-03`, `2026-08-03T10:00:00.250000+02:00`. */
export function timestampIso(timestamp: PyTimestamp): string {
  const moment = momentOf(timestamp.text);
  return moment === null ? timestamp.text : isoText(moment);
}

/** Equal for time stamps that are equal as keys: the same day, the same clock, or the same instant. */
export function timestampKey(timestamp: PyTimestamp): string {
  const moment = momentOf(timestamp.text);
  if (moment === null || moment.time === null || moment.zone === null) return timestampIso(timestamp);
  const [clock, fraction] = moment.time.split('.');
  const instant = Date.parse(`${moment.date}T${clock}Z`) - moment.zone * 60_000;
  return `${instant}.${fraction ?? ''}`;
}

function momentOf(text: string): Moment | null {
  const match = PARTS.exec(text);
  if (match === null) return null;
  const [, year = '', month = '', day = '', hour, minute, second, fraction = '', zone, sign] = match;
  const date = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
  if (year === '0000' || !isDay(date)) return null;
  if (hour === undefined || minute === undefined || second === undefined)
    return { date, time: null, zone: null };
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return null;
  const micros = fraction.slice(0, 6).padEnd(6, '0');
  const clock = `${hour.padStart(2, '0')}:${minute}:${second}`;
  const time = micros === '000000' ? clock : `${clock}.${micros}`;
  if (zone === undefined) return { date, time, zone: null };
  const offset = Number(match[10] ?? 0) * 60 + Number(match[11] ?? 0);
  return offset < 24 * 60 ? { date, time, zone: sign === '-' ? -offset : offset } : null;
}

function isDay(date: string): boolean {
  const parsed = new Date(`${date}T00:00:00Z`);
  return !Number.isNaN(parsed.getTime()) && parsed.toISOString().startsWith(date);
}

function isoText({ date, time, zone }: Moment): string {
  if (time === null) return date;
  if (zone === null) return `${date}T${time}`;
  const minutes = Math.abs(zone);
  const shown = [Math.floor(minutes / 60), minutes % 60].map((each) => String(each).padStart(2, '0'));
  return `${date}T${time}${zone < 0 ? '-' : '+'}${shown.join(':')}`;
}
