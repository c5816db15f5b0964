import { parseTargetEndpoint } from '../describe/endpoint.ts';
import {
  isSimulation,
  isSimulationPolicy,
  onlyPair,
  type PairRequest,
  possiblePairs,
  type SkillFacts,
  supports,
  type TargetFacts,
} from './pairs.ts';

/** Edits of the registries and inputs after which exactly one pair can be benchmarked. Null is no edit. */
interface Cure {
  /** Target to set `enabled: true` at. */
  readonly enable: string | null;
  /** Skill runtime to add to `supported_skillruntimes` of a target. */
  readonly list: { readonly skillruntime: string; readonly target: string } | null;
  /** Inputs to name, beside those that stay as they are. */
  readonly target: string | null;
  readonly skillruntime: string | null;
}

type Request = PairRequest<TargetFacts, SkillFacts>;

/** How many cures a message names. */
const SHOWN = 3;

/**
 * What to do about a choice of target and skill runtime that is refused, the smallest edits first: other names, an enabled
 * target, a listed skill runtime, both. Each was tried: after it a pair is chosen, and its target's endpoint is sound, so
 * no cure leads to the next refusal. Empty when nothing that is there can be made to fit. Pure.
 */
export function curesOf(request: Request): readonly Cure[] {
  const targets = request.targets.filter(isSimulation).filter(hasSoundEndpoint);
  const policies = request.skillruntimes.filter(isSimulationPolicy);
  const cures = targets.flatMap((target) => policies.flatMap((skill) => cureFor(request, target, skill)));
  const sorted = cures.map((cure) => ({ cure, size: sizeOf(cure) })).sort((a, b) => a.size - b.size);
  return sorted.map(({ cure }) => cure);
}

function hasSoundEndpoint({ runtime }: TargetFacts): boolean {
  const endpoint = runtime.target_endpoint ?? null;
  return endpoint === null || parseTargetEndpoint(endpoint).ok;
}

/** The edits that make this pair the one that is chosen, with as few names as will do. */
function cureFor(request: Request, target: TargetFacts, skill: SkillFacts): Cure[] {
  const edits = {
    enable: target.enabled ? null : target.id,
    list: supports(target, skill.id) ? null : { skillruntime: skill.id, target: target.id },
  };
  const names: readonly Pick<Cure, 'target' | 'skillruntime'>[] = [
    { target: null, skillruntime: null },
    { target: target.id, skillruntime: null },
    { target: null, skillruntime: skill.id },
    { target: target.id, skillruntime: skill.id },
  ];
  const found = names.find((named) => {
    const mended = withCure(request, { ...edits, ...named });
    const pair = onlyPair(possiblePairs(mended), request.suites);
    return pair?.target.id === target.id && pair.skillruntime.id === skill.id;
  });
  return found === undefined ? [] : [{ ...edits, ...found }];
}

/** The request as it is after a cure. Pure. */
export function withCure(request: Request, { enable, list, target, skillruntime }: Cure): Request {
  return {
    ...request,
    target: target ?? request.target,
    skillruntime: skillruntime ?? request.skillruntime,
    targets: request.targets.map((each) => ({
      ...each,
      enabled: each.enabled || each.id === enable,
      supported_skillruntimes:
        each.id === list?.target
          ? [...each.supported_skillruntimes, list.skillruntime]
          : each.supported_skillruntimes,
    })),
  };
}

/** Naming is cheaper than enabling, and that cheaper than listing: who wrote a target knew what it can run. */
function sizeOf({ enable, list, target, skillruntime }: Cure): number {
  const names = Number(target !== null) + Number(skillruntime !== null);
  return Number(list !== null) * 100 + Number(enable !== null) * 10 + names;
}

/** `Set enabled: true at libero in TARGETS.md, or …`; what to add when nothing that is there can be made to fit. */
export function cureText(request: Request): string {
  const cures = curesOf(request);
  if (cures.length === 0) return nothingFits(request);
  const shown = cures.slice(0, SHOWN).map(clause);
  const more = cures.length > SHOWN ? ` (and ${cures.length - SHOWN} more ways)` : '';
  const text = shown.join(', or ');
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${more}.`;
}

function clause({ enable, list, target, skillruntime }: Cure): string {
  const named = [
    ...(target === null ? [] : [`target ${target}`]),
    ...(skillruntime === null ? [] : [`skillruntime ${skillruntime}`]),
  ];
  return [
    ...(enable === null ? [] : [`set enabled: true at ${enable} in TARGETS.md`]),
    ...(list === null ? [] : [`list ${list.skillruntime} in supported_skillruntimes of ${list.target}`]),
    ...(named.length === 0 ? [] : [`name ${named.join(' and ')}`]),
  ].join(' and ');
}

function nothingFits({ targets, skillruntimes }: Request): string {
  const policies = skillruntimes.filter(isSimulationPolicy).map(({ id }) => id);
  if (policies.length === 0)
    return 'Add a skill runtime of kind policy that supports simulation to SKILLRUNTIME.md, and list it in supported_skillruntimes of a simulation target.';
  const broken = targets.filter((target) => isSimulation(target) && !hasSoundEndpoint(target));
  const mend =
    broken.length === 0 ? '' : ` The endpoint of ${broken.map(({ id }) => id).join(', ')} is malformed.`;
  return `Add a simulation target to TARGETS.md that lists ${policies.join(' or ')} in supported_skillruntimes.${mend}`;
}
