import { type Problem, problemOf } from '../errors/rb-error.ts';
import { isCellTarget } from './ids.ts';
import { cureText } from './pair-cures.ts';
import {
  candidateTargets,
  isSimulationPolicy,
  onlyPair,
  type PairRequest,
  possiblePairs,
  type SkillFacts,
  type TargetFacts,
} from './pairs.ts';

type PairChoice<Target, Skill> =
  | { readonly ok: true; readonly target: Target; readonly skillruntime: Skill }
  | { readonly ok: false; readonly problems: readonly Problem[] };

type Request = PairRequest<TargetFacts, SkillFacts>;

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
  const only = onlyPair(pairs, request.suites);
  return only === null ? failed(severalPairs(pairs)) : { ok: true, ...only };
}

function namedTargetProblems(request: Request): Problem[] {
  const { targets, target: wanted } = request;
  if (wanted === null) return [];
  const found = targets.find((target) => target.id === wanted);
  const problem = { where: 'input target', value: wanted, fix: cureText(request) };
  if (found === undefined) {
    const ids = targets.filter((target) => !isCellTarget(target.id)).map((target) => target.id);
    const message = `TARGETS.md has no such target, it has ${listed(ids)}.`;
    return [problemOf('RB301', { ...problem, message })];
  }
  const reason = !found.enabled
    ? 'is disabled'
    : found.target_kind !== 'simulation'
      ? `is of kind ${found.target_kind}, and only simulation targets are benchmarked`
      : isCellTarget(wanted)
        ? 'is a left-over of an interrupted benchmark'
        : null;
  return reason === null ? [] : [problemOf('RB302', { ...problem, message: `the target ${reason}.` })];
}

function namedSkillProblems(request: Request): Problem[] {
  const { skillruntimes, skillruntime: wanted } = request;
  if (wanted === null) return [];
  const found = skillruntimes.find((skill) => skill.id === wanted);
  const problem = { where: 'input skillruntime', value: wanted, fix: cureText(request) };
  if (found === undefined) {
    const message = `SKILLRUNTIME.md has no such entry, it has ${listed(skillruntimes.map(({ id }) => id))}.`;
    return [problemOf('RB304', { ...problem, message })];
  }
  if (isSimulationPolicy(found)) return [];
  const message =
    found.runtime_kind === 'policy'
      ? 'the skill runtime does not list simulation in supported_target_kinds.'
      : `the skill runtime is of kind ${found.runtime_kind}, not policy.`;
  return [problemOf('RB305', { ...problem, message })];
}

function noPair(request: Request): Problem {
  const targets = candidateTargets(request);
  const fix = cureText(request);
  if (targets.length === 0) {
    const message = 'no target is enabled and of kind simulation.';
    return problemOf('RB300', { where: 'TARGETS.md', message, fix });
  }
  const where = `TARGETS.md ${listed(targets.map((target) => target.id))} supported_skillruntimes`;
  if (request.skillruntime !== null)
    return problemOf('RB306', { where, message: `does not list ${request.skillruntime}.`, fix });
  return problemOf('RB307', { where, message: 'lists no skill runtime of kind policy.', fix });
}

function severalPairs(pairs: readonly { target: TargetFacts; skillruntime: SkillFacts }[]): Problem {
  const names = pairs.map(({ target, skillruntime }) => `${target.id} with ${skillruntime.id}`);
  return problemOf('RB303', {
    where: 'inputs target and skillruntime',
    message: `${pairs.length} pairs could be benchmarked and none is chosen.`,
    fix: `Name a suite that only one of the targets is configured for, or target and skillruntime: ${listed(names)}.`,
  });
}

function listed(names: readonly string[]): string {
  if (names.length === 0) return 'none';
  return names.length > 8 ? `${names.slice(0, 8).join(', ')} and ${names.length - 8} more` : names.join(', ');
}

function failed(problem: Problem): { ok: false; problems: readonly Problem[] } {
  return { ok: false, problems: [problem] };
}
