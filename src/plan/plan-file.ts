import * as z from 'zod';
import { isTooDeep, MAX_JSON_DEPTH } from '../base/json-depth.ts';
import { parsedJson } from '../base/json-text.ts';
import { WhyNot } from '../base/why-not.ts';
import { type Pin, pinSchema } from '../model/pins.ts';
import { PLAN_SCHEMA_ID, type Plan, planSchema } from '../model/plan.ts';
import { planDigest } from './make-plan.ts';

/** A plan of 100,000 cells. */
export const MAX_PLAN_FILE_BYTES = 16 * 1024 * 1024;

/** A plan as `plan --out` and `plan --json` give it. */
export interface PlanWithPins {
  readonly plan: Plan;
  /** On the host that made the plan, when it made it. */
  readonly pins: readonly Pin[];
}

const entrySchema = z.strictObject({
  digest: z.string().optional(),
  plan: planSchema,
  pins: z.array(pinSchema).optional(),
});

/** Content of a plan file: one entry for each suite. */
export function planFileText(plans: readonly PlanWithPins[]): string {
  const entries = plans.map(({ plan, pins }) => ({ digest: planDigest(plan), plan, pins }));
  return `${JSON.stringify(entries, null, 2)}\n`;
}

/**
 * The plans that a file holds: entries of `plan --out`, or one plan by itself as in a bundle. Or why it holds
 * none. Unknown fields are refused, since a plan cannot approve itself; so is a plan edited after its digest was taken.
 */
export function plansIn(text: string): readonly Plan[] | WhyNot {
  const found = pinnedPlansIn(text);
  return found instanceof WhyNot ? found : found.map(({ plan }) => plan);
}

/** The same with the pins of each; a plan by itself has none. */
export function pinnedPlansIn(text: string): readonly PlanWithPins[] | WhyNot {
  if (text.length === 0) return new WhyNot('it is empty');
  if (text.length > MAX_PLAN_FILE_BYTES) return new WhyNot('it is larger than 16 MiB');
  const value = parsedJson(text);
  if (value === undefined) return new WhyNot('it is not JSON');
  if (isTooDeep(value)) return new WhyNot(`it is nested deeper than ${MAX_JSON_DEPTH} levels`);
  if (!Array.isArray(value)) {
    const single = planSchema.safeParse(value);
    return single.success ? [{ plan: single.data, pins: [] }] : whyNot(single.error, value);
  }
  const parsed = z.array(entrySchema).min(1).safeParse(value);
  if (!parsed.success) return whyNot(parsed.error, value[0]?.plan);
  const edited = parsed.data.find(({ digest, plan }) => digest !== undefined && digest !== planDigest(plan));
  if (edited !== undefined)
    return new WhyNot(`the plan of ${edited.plan.suite} was edited after its digest was taken`);
  return parsed.data.map(({ plan, pins = [] }) => ({ plan, pins }));
}

const namedSchema = z.looseObject({ schema: z.string() });

function whyNot(error: z.ZodError, plan: unknown): WhyNot {
  const named = namedSchema.safeParse(plan);
  if (named.success && named.data.schema !== PLAN_SCHEMA_ID)
    return new WhyNot(
      `its format ${named.data.schema.slice(0, 80)} is unknown here; this release knows ${PLAN_SCHEMA_ID}`,
    );
  const [issue] = error.issues;
  return new WhyNot(`${issue?.path.join('.') ?? ''} ${issue?.message ?? 'it is not understood'}`.trim());
}
