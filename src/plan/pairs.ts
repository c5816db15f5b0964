import { isCellTarget } from './ids.ts';
import { benchmarkOf } from './suite-defaults.ts';

/** The fields of a target entry that the checks look at, named as in TARGETS.md. */
export interface TargetFacts {
  readonly id: string;
  readonly target_kind: string;
  readonly enabled: boolean;
  readonly supported_skillruntimes: readonly string[];
  /** As the document has it: the endpoint may be left out, and it may be null. */
  readonly runtime: { readonly target_endpoint?: string | null | undefined };
  readonly config: Readonly<Record<string, unknown>>;
}

/** The fields of a skill runtime entry that the checks look at, named as in SKILLRUNTIME.md. */
export interface SkillFacts {
  readonly id: string;
  readonly runtime_kind: string;
  readonly supported_target_kinds: readonly string[];
}

export interface PairRequest<Target, Skill> {
  readonly targets: readonly Target[];
  readonly skillruntimes: readonly Skill[];
  /** Ids the user named, null where none. */
  readonly target: string | null;
  readonly skillruntime: string | null;
  /** Suites the user asks for, null where none: they tell targets of one benchmark from those of another. */
  readonly suites: readonly string[] | null;
}

interface Pair<Target, Skill> {
  readonly target: Target;
  readonly skillruntime: Skill;
}

/** Every pair that could be benchmarked among those the user names, in the order of the documents. */
export function possiblePairs<Target extends TargetFacts, Skill extends SkillFacts>(
  request: PairRequest<Target, Skill>,
): Pair<Target, Skill>[] {
  const policies = candidatePolicies(request);
  return candidateTargets(request).flatMap((target) =>
    policies.filter((skill) => supports(target, skill.id)).map((skillruntime) => ({ target, skillruntime })),
  );
}

/** The only pair that fits; of several the only one whose target is of the wanted suites' benchmark. Null else. */
export function onlyPair<Target extends TargetFacts, Skill extends SkillFacts>(
  pairs: readonly Pair<Target, Skill>[],
  suites: readonly string[] | null,
): Pair<Target, Skill> | null {
  const fitting = pairs.length > 1 ? pairs.filter(({ target }) => hasSuites(target, suites)) : pairs;
  const [only] = fitting;
  return only !== undefined && fitting.length === 1 ? only : null;
}

export function candidateTargets<Target extends TargetFacts>(
  request: PairRequest<Target, SkillFacts>,
): Target[] {
  return request.targets.filter(
    (target) => isBenchmarkTarget(target) && (request.target === null || target.id === request.target),
  );
}

function candidatePolicies<Skill extends SkillFacts>(request: PairRequest<TargetFacts, Skill>): Skill[] {
  return request.skillruntimes.filter(
    (skill) =>
      isSimulationPolicy(skill) && (request.skillruntime === null || skill.id === request.skillruntime),
  );
}

/** Is the target configured for the benchmark that all the wanted suites belong to? */
function hasSuites(target: TargetFacts, suites: readonly string[] | null): boolean {
  const configured = target.config.benchmark_name;
  if (suites === null || typeof configured !== 'string') return false;
  return suites.every((suite) => benchmarkOf(suite) === benchmarkOf(configured));
}

/** A simulation of the user's, enabled or not. */
export function isSimulation(target: TargetFacts): boolean {
  return target.target_kind === 'simulation' && !isCellTarget(target.id);
}

function isBenchmarkTarget(target: TargetFacts): boolean {
  return target.enabled && isSimulation(target);
}

export function isSimulationPolicy(skill: SkillFacts): boolean {
  return skill.runtime_kind === 'policy' && skill.supported_target_kinds.includes('simulation');
}

export function supports(target: TargetFacts, skillId: string): boolean {
  return target.supported_skillruntimes.some(
    (listed) => listed.replace(/^skillruntime:\/\//, '') === skillId,
  );
}
