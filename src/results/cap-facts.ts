import type { JournalRecord } from '../model/journal-events.ts';
import type { Plan } from '../model/plan.ts';
import type { Results } from '../model/results.ts';

type CapFacts = NonNullable<Results['caps']>;

/** What results.json says about the caps of a plan; undefined for a plan without. The last words of the journal count. Pure. */
export function capFacts({ caps }: Plan, journal: readonly JournalRecord[]): CapFacts | undefined {
  if (caps === undefined) return undefined;
  let used: CapFacts['used'] = null;
  let reached: CapFacts['reached'] = null;
  for (const { event } of journal) {
    if (event.type === 'usage') {
      const { type: _type, ...usage } = event;
      used = usage;
    } else if (event.type === 'cap_reached') {
      const { type: _type, ...cap } = event;
      reached = cap;
    }
  }
  return { limits: caps, used, reached };
}

/** Shards share the caps: their sessions and bytes add up, their time passed side by side. Unknown of one is unknown of all. */
export function mergedCaps(
  plan: Plan,
  parts: readonly { readonly results: Results }[],
): CapFacts | undefined {
  if (plan.caps === undefined) return undefined;
  const each = parts.map(({ results }) => results.caps?.used ?? null);
  const used = each.every((part) => part !== null)
    ? {
        sessions: each.reduce((sum, part) => sum + part.sessions, 0),
        wallMs: Math.max(...each.map(({ wallMs }) => wallMs)),
        artifactBytes: each.reduce<number | null>(
          (sum, part) => (sum === null || part.artifactBytes === null ? null : sum + part.artifactBytes),
          0,
        ),
      }
    : null;
  const reached = parts.map(({ results }) => results.caps?.reached ?? null).find((part) => part !== null);
  return { limits: plan.caps, used, reached: reached ?? null };
}
