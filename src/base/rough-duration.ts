/**
 * A duration that is expected or still to come: `0.4 s`, `8 s`, `12 min`, `3 h 20 min`, `2 d 4 h`. Coarse on purpose, since an
 * estimate to the second would claim what nobody knows; what was measured is printed by `durationText` of the report.
 */
export function roughDuration(seconds: number): string {
  if (seconds > 0 && seconds < 9.95) return `${Number(seconds.toFixed(1))} s`;
  if (seconds < 90) return `${Math.round(seconds)} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 90) return `${minutes} min`;
  if (minutes < 48 * 60) return joined(Math.floor(minutes / 60), 'h', minutes % 60, 'min');
  const hours = Math.round(minutes / 60);
  return joined(Math.floor(hours / 24), 'd', hours % 24, 'h');
}

function joined(large: number, largeUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${large} ${largeUnit}` : `${large} ${largeUnit} ${small} ${smallUnit}`;
}
