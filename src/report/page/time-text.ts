/** `2026-11-29 16:06 UTC` of an ISO time; other text as it is. */
export function timeText(iso: string): string {
  const match = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d)/.exec(iso);
  return match === null ? iso : `${match[1]} ${match[2]} UTC`;
}
