import { usageProblem } from '../../job/text-option.ts';
import type { FinishedSession } from './finished-session.ts';
import { stemOf } from './group-key.ts';

/** Which finished sessions are the evidence; null chooses nothing. Times are milliseconds since 1970. */
export interface Choice {
  readonly goal: string | null;
  readonly target: string | null;
  readonly policyEndpoint: string | null;
  readonly since: number | null;
  readonly until: number | null;
}

export const EVERYTHING: Choice = {
  goal: null,
  target: null,
  policyEndpoint: null,
  since: null,
  until: null,
};

/** Whether a session is part of what was chosen. One without a known time may be, so it is. Pure. */
export function isChosen(session: FinishedSession, choice: Choice): boolean {
  const { goal, target, policyEndpoint, since, until } = choice;
  const at = session.endedAt === null ? Number.NaN : Date.parse(session.endedAt);
  return (
    (goal === null || session.goal === goal) &&
    (target === null || session.target === target || stemOf(session.target) === target) &&
    // One that names no policy was rejected for it, or takes its target's.
    (policyEndpoint === null || (session.policyEndpoint ?? policyEndpoint) === policyEndpoint) &&
    !(since !== null && at < since) &&
    !(until !== null && at > until)
  );
}

/** The choice in words, for the report; empty when everything was taken. Pure. */
export function choiceTexts({ goal, target, policyEndpoint, since, until }: Choice): string[] {
  return [
    ...(goal === null ? [] : [`goal ${goal}`]),
    ...(target === null ? [] : [`target ${target}`]),
    ...(policyEndpoint === null ? [] : ['one policy endpoint']),
    ...(since === null ? [] : [`since ${new Date(since).toISOString()}`]),
    ...(until === null ? [] : [`until ${new Date(until).toISOString()}`]),
  ];
}

const DAY = /^\d{4}-\d\d-\d\d$/;
const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,6})?)?(?:Z|[+-]\d\d:\d\d)$/;

/**
 * A moment of an option: a day (UTC; the whole of it) or a time with its zone.
 * @throws RbError RB112 (exit 2) for anything else.
 */
export function momentOf(name: 'since' | 'until', text: string): number {
  const isDay = DAY.test(text);
  const day = name === 'since' ? `${text}T00:00:00Z` : `${text}T23:59:59.999Z`;
  const at = isDay || MOMENT.test(text) ? Date.parse(isDay ? day : text) : Number.NaN;
  if (Number.isFinite(at)) return at;
  throw usageProblem(
    `option --${name}`,
    `${JSON.stringify(text.slice(0, 40))} is no day and no time with its zone.`,
    `Write for example --${name} 2026-11-29 or --${name} 2026-11-29T08:30:00Z.`,
  );
}
