const HOUR = 3_600_000;

/** Share of the spaces between runs that must be alike for a series to count as a schedule. */
const REGULAR_SHARE = 0.5;
const ALIKE = 0.25;
/** A space of this many usual ones holds at least one run that did not happen. */
const MISSING_AFTER = 1.6;

/** Something of one moment, milliseconds since 1970. */
export interface Timed {
  readonly at: number;
}

/** From one point to the next, where a schedule left at least one run out. */
interface Silence {
  readonly from: number;
  readonly to: number;
  /** Runs that the schedule would have had in between. */
  readonly missing: number;
}

/**
 * The usual space between the runs of a schedule, milliseconds; null when the series follows none (pushes come when
 * they come, and their absence means nothing). Points in time order.
 */
export function usualSpace(points: readonly Timed[]): number | null {
  const spaces = points
    .slice(1)
    .map(({ at }, index) => at - (points[index]?.at ?? at))
    .filter((space) => space >= HOUR / 2);
  if (spaces.length < 3) return null;
  const sorted = [...spaces].sort((left, right) => left - right);
  const median = sorted[Math.floor(sorted.length / 2)] ?? 0;
  const alike = spaces.filter((space) => Math.abs(space - median) <= median * ALIKE);
  return alike.length >= spaces.length * REGULAR_SHARE ? median : null;
}

/** Where a schedule is silent. */
export function silences(points: readonly Timed[]): Silence[] {
  const usual = usualSpace(points);
  if (usual === null) return [];
  return points.slice(1).flatMap(({ at }, index) => {
    const from = points[index]?.at ?? at;
    if (at - from < usual * MISSING_AFTER) return [];
    return [{ from, to: at, missing: Math.round((at - from) / usual) - 1 }];
  });
}

/** Runs of neighbours without a silence or a point without a rate between them. */
export function stretches<T extends Timed>(points: readonly T[], hasRate: (point: T) => boolean): T[][] {
  const broken = new Set(silences(points).map(({ to }) => to));
  const found: T[][] = [];
  let open: T[] = [];
  for (const point of points) {
    if (broken.has(point.at) || !hasRate(point)) {
      if (open.length > 0) found.push(open);
      open = [];
    }
    if (hasRate(point)) open.push(point);
  }
  return open.length > 0 ? [...found, open] : found;
}
