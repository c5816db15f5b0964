import { stableJson } from '../../base/stable-json.ts';
import { EXIT, type Problem, problemOf, RbError } from '../../errors/rb-error.ts';
import type { Plan } from '../../model/plan.ts';
import type { ArmFacts } from '../../model/run-facts.ts';
import { secretMasker, secretsIn } from '../../screen/secret-scan.ts';
import type { TextScreen } from '../../screen/text-screen.ts';
import type { ArmPolicy } from '../prepare/policies.ts';

/** What a bundle cannot be computed without and what is known before anything is queued. */
interface KnownBefore {
  readonly plan: Plan;
  readonly policies: readonly ArmPolicy[];
  /** `policy-ref` and whatever else the user declares, by input. */
  readonly declared: Readonly<Record<string, string | null>>;
  readonly secrets: readonly string[];
  /** Tells what names a cell that may be held out; null when nothing is. */
  readonly screen: TextScreen | null;
}

/**
 * Refuses a run whose bundle could not be sealed in the end, before it costs hours of the host.
 * @throws RbError RB704, RB846 (exit 3) naming every place with a secret or a cell that is not shown, never these.
 */
export function refuseKnownSecrets({ plan, policies, declared, secrets, screen }: KnownBefore): void {
  const places: readonly (readonly [string, unknown])[] = [
    [`plan of ${plan.suite} (task languages and the target's config)`, plan],
    ...policies.map(({ arm, before }) => [`metadata of the ${arm} policy`, before.metadata] as const),
    ...Object.entries(declared).map(([name, value]) => [`input ${name}`, value] as const),
  ];
  const problems = places.flatMap(([where, value]): Problem[] => {
    const text = stableJson(value);
    const kinds = secretsIn(text, secrets);
    const named = screen?.finds(text) === true ? [namesACell(where)] : [];
    if (kinds.length === 0) return named;
    return [
      ...named,
      problemOf('RB704', {
        where,
        message: `it holds a secret (${kinds.join(', ')}) and would be part of every bundle; nothing was queued.`,
        fix: 'Take the secret out there and change it, then start again.',
      }),
    ];
  });
  if (problems.length > 0) throw new RbError(EXIT.refused, problems);
}

function namesACell(where: string): Problem {
  return problemOf('RB846', {
    where,
    message:
      'it names a cell or task that is not asked for openly, and would be part of the report; nothing was queued.',
    fix: 'Call it by another name while cells are held out, then start again.',
  });
}

/** A policy that changed during the run may have brought a secret along; that it changed is all the bundle needs. */
export function withoutLateSecrets(arm: ArmFacts, secrets: readonly string[]): ArmFacts {
  const kinds = secretsIn(stableJson(arm.metadataAfter), secrets);
  const changed = arm.changed === null ? null : secretMasker(secrets)(arm.changed);
  return kinds.length === 0
    ? { ...arm, changed }
    : { ...arm, changed, metadataAfter: { held_back: kinds.join(', ') } };
}
