const DAY = 86_400_000;
/** A run later than this many usual spaces is overdue. */
const OVERDUE_AFTER = 1.6;

/** Adds "3 days ago" to every time that asks for it, counted when the page was opened, and says when a run is overdue. */
export function tellAges(): void {
  for (const time of document.querySelectorAll<HTMLTimeElement>('time[data-age]')) {
    const elapsed = performance.timeOrigin - Date.parse(time.dateTime);
    if (!Number.isFinite(elapsed)) continue;
    const every = Number(time.dataset['every'] ?? Number.NaN) * 1000;
    time.after(`, ${ageText(elapsed)}`, ...(elapsed > every * OVERDUE_AFTER ? overdue(every) : []));
  }
}

function overdue(every: number): (Node | string)[] {
  const mark = document.createElement('b');
  mark.className = 'overdue';
  mark.textContent = `overdue: it usually runs every ${spaceText(every)}`;
  return [' · ', mark];
}

function ageText(elapsed: number): string {
  const days = Math.floor(elapsed / DAY);
  if (days < 1) return 'less than a day ago';
  return days === 1 ? '1 day ago' : `${days} days ago`;
}

function spaceText(space: number): string {
  const hours = Math.round(space / 3_600_000);
  if (hours < 36) return hours === 24 ? 'day' : `${hours} h`;
  return `${Math.round(space / DAY)} days`;
}
