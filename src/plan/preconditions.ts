import type { Problem } from '../errors/rb-error.ts';
import { isCellTarget } from './ids.ts';
import { benchmarkOf } from './suite-defaults.ts';

/** The fields of a target entry that the checks look at, named as in TARGETS.md. */
export interface TargetFacts {
  readonly id: string;
  readonly target_kind: string;
  readonly enabled: boolean;
  readonly supported_skillruntimes: readonly string[];
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

export type PairChoice<Target, Skill> =
  | { readonly ok: true; readonly target: Target; readonly skillruntime: Skill }
  | { readonly ok: false; readonly problems: readonly Problem[] };

/**
 * The target and the policy skill runtime to benchmark: the named ones if they can be, else the only pair that can.
 * Never picks a disabled target, one that is not a simulation, or a skill runtime that is not a policy.
 */
export function choosePair<Target extends TargetFacts, Skill extends SkillFacts>(
  request: PairRequest<Target, Skill>,
): PairChoice<Target, Skill> {
  const named = [...namedTargetProblems(request), ...namedSkillProblems(request)];
  if (named.length > 0) return { ok: false, problems: named };
  const pairs = possiblePairs(request);
  if (pairs.length === 0) return failed(noPair(request));
  const fitting = pairs.length > 1 ? pairs.filter(({ target }) => hasSuites(target, request.suites)) : pairs;
  const [only] = fitting;
  if (only !== undefined && fitting.length === 1) return { ok: true, ...only };
  return failed(severalPairs(pairs));
}

/** Every pair that could be benchmarked among those the user names, in the order of the documents. */
export function possiblePairs<Target extends TargetFacts, Skill extends SkillFacts>(
  request: PairRequest<Target, Skill>,
): { readonly target: Target; readonly skillruntime: Skill }[] {
  const policies = candidatePolicies(request);
  return candidateTargets(request).flatMap((target) =>
    policies.filter((skill) => supports(target, skill.id)).map((skillruntime) => ({ target, skillruntime })),
  );
}

function candidateTargets<Target extends TargetFacts>(request: PairRequest<Target, SkillFacts>): Target[] {
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

function isBenchmarkTarget(target: TargetFacts): boolean {
  return target.enabled && target.target_kind === 'simulation' && !isCellTarget(target.id);
}

function isSimulationPolicy(skill: SkillFacts): boolean {
  return skill.runtime_kind === 'policy' && skill.supported_target_kinds.includes('simulation');
}

function supports(target: TargetFacts, skillId: string): boolean {
  return target.supported_skillruntimes.some(
    (listed) => listed.replace(/^skillruntime:\/\//, '') === skillId,
  );
}

function namedTargetProblems({ targets, target: wanted }: PairRequest<TargetFacts, SkillFacts>): Problem[] {
  if (wanted === null) return [];
  const found = targets.find((target) => target.id === wanted);
  const where = 'input target';
  if (found === undefined) {
    const ids = targets.filter((target) => !isCellTarget(target.id)).map((target) => target.id);
    return [
      fatal({
        code: 'RB301',
        where,
        message: 'TARGETS.md has no such target.',
        value: wanted,
        fix: `It has ${listed(ids)}.`,
      }),
    ];
  }
  const reason = !found.enabled
    ? 'is disabled'
    : found.target_kind !== 'simulation'
      ? `is of kind ${found.target_kind}`
      : isCellTarget(wanted)
        ? 'is a left-over of an interrupted benchmark'
        : null;
  if (reason === null) return [];
  const fix = found.enabled ? 'Name a simulation target.' : `Set enabled: true at ${wanted} in TARGETS.md.`;
  return [fatal({ code: 'RB302', where, message: `the target ${reason}.`, value: wanted, fix })];
}

function namedSkillProblems({
  skillruntimes,
  skillruntime: wanted,
}: PairRequest<TargetFacts, SkillFacts>): Problem[] {
  if (wanted === null) return [];
  const found = skillruntimes.find((skill) => skill.id === wanted);
  const where = 'input skillruntime';
  if (found === undefined) {
    const ids = skillruntimes.map((skill) => skill.id);
    return [
      fatal({
        code: 'RB304',
        where,
        message: 'SKILLRUNTIME.md has no such entry.',
        value: wanted,
        fix: `It has ${listed(ids)}.`,
      }),
    ];
  }
  if (isSimulationPolicy(found)) return [];
  const message =
    found.runtime_kind === 'policy'
      ? 'the skill runtime does not support simulation targets.'
      : `the skill runtime is of kind ${found.runtime_kind}, not policy.`;
  return [
    fatal({
      code: 'RB305',
      where,
      message,
      value: wanted,
      fix: 'Name a skill runtime of kind policy that lists simulation in supported_target_kinds.',
    }),
  ];
}

function noTarget(targets: readonly TargetFacts[]): Problem {
  const disabled = targets
    .filter((target) => target.target_kind === 'simulation' && !target.enabled)
    .map(({ id }) => id);
  return fatal({
    code: 'RB300',
    where: 'TARGETS.md',
    message: 'no target is enabled and of kind simulation.',
    fix:
      disabled.length === 0 ? 'Add a simulation target.' : `Set enabled: true at one of ${listed(disabled)}.`,
  });
}

function noPair(request: PairRequest<TargetFacts, SkillFacts>): Problem {
  const targets = candidateTargets(request);
  if (targets.length === 0) return noTarget(request.targets);
  const names = listed(targets.map((target) => target.id));
  if (request.skillruntime !== null) {
    return fatal({
      code: 'RB306',
      where: `TARGETS.md ${names} supported_skillruntimes`,
      message: `does not list ${request.skillruntime}.`,
      fix: `Add ${request.skillruntime} to supported_skillruntimes, or choose another pair.`,
    });
  }
  const ids = candidatePolicies(request).map((skill) => skill.id);
  return fatal({
    code: 'RB307',
    where: `TARGETS.md ${names} supported_skillruntimes`,
    message: 'lists no skill runtime of kind policy.',
    fix:
      ids.length === 0
        ? 'Add a policy skill runtime to SKILLRUNTIME.md and list it here.'
        : `List one of ${listed(ids)}.`,
  });
}

function severalPairs(pairs: readonly { target: TargetFacts; skillruntime: SkillFacts }[]): Problem {
  const names = pairs.map(({ target, skillruntime }) => `${target.id} with ${skillruntime.id}`);
  return fatal({
    code: 'RB303',
    where: 'inputs target and skillruntime',
    message: `${pairs.length} pairs could be benchmarked and none is chosen.`,
    fix: `Name target and skillruntime: ${listed(names)}.`,
  });
}

function listed(names: readonly string[]): string {
  if (names.length === 0) return 'none';
  return names.length > 8 ? `${names.slice(0, 8).join(', ')} and ${names.length - 8} more` : names.join(', ');
}

function failed(problem: Problem): { ok: false; problems: readonly Problem[] } {
  return { ok: false, problems: [problem] };
}

function fatal(problem: Omit<Problem, 'severity'>): Problem {
  return { ...problem, severity: 'fatal' };
}
