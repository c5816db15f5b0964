import type { Problem } from '../../errors/rb-error.ts';
import { type Endpoints, resolveEndpoints } from '../../plan/endpoints.ts';
import { choosePair } from '../../plan/preconditions.ts';
import { benchmarkOf } from '../../plan/suite-defaults.ts';
import { targetWarnings } from '../../plan/target-warnings.ts';
import type { SkillRuntimeEntry } from '../../workspace/skillruntimes.ts';
import type { TargetEntry } from '../../workspace/targets.ts';
import { folderProblems } from '../../workspace/workspace-folder.ts';
import { targetFacts } from '../target-facts.ts';
import { contractProblems, readDocuments, readRegistries } from './documents.ts';
import { hostProblems } from './host-checks.ts';
import { logFileProblems, sessionsFileProblems, targetsFileProblems } from './queue-checks.ts';

export interface DoctorOptions {
  /** Ids and endpoints the user names, null where none. */
  readonly target: string | null;
  readonly skillruntime: string | null;
  readonly suites: readonly string[] | null;
  readonly policyEndpoint: string | null;
  readonly targetEndpoint: string | null;
  /** Milliseconds since 1970. */
  readonly nowMs: number;
  /** Folders of programs, as in PATH. */
  readonly searchPath: string;
}

const CELL_TARGET = /--rb-[0-9a-f]{8}$/;
/** Keys a LIBERO run sends that stay in the server; their values do not matter here. */
const LIBERO_STICKY = { max_steps: 0, num_steps_wait: 0 };

/**
 * Everything in a workspace that would stop (fatal) or mislead (warning) a benchmark, fatal problems first. Reads files
 * only: nothing is written, no server is asked.
 * @param workspace absolute path.
 */
export async function checkWorkspace(workspace: string, options: DoctorOptions): Promise<Problem[]> {
  const folder = await folderProblems(workspace);
  if (folder.length > 0) return folder;
  const { targets, skillruntimes, sessions, log } = await readDocuments(workspace);
  const problems: Problem[] = [targets, skillruntimes, sessions, log].flatMap((each) => [...each.problems]);
  problems.push(...(await hostProblems(workspace, options.searchPath)));
  if (sessions.text !== null) problems.push(...sessionsFileProblems(sessions.text, options.nowMs));
  if (log.text !== null) problems.push(...logFileProblems(log.text));
  if (targets.text !== null && targets.document !== null) {
    const file = { text: targets.text, entries: targets.document };
    problems.push(...targetsFileProblems(file, sessions.text));
    problems.push(...configProblems(targets.document));
    if (skillruntimes.document === null)
      problems.push(...(await contractsOf(workspace, targets.document, null)));
  }
  if (targets.document !== null && skillruntimes.document !== null) {
    const pair = checkPair(targets.document, skillruntimes.document, options);
    problems.push(...referenceProblems(targets.document, skillruntimes.document), ...pair.problems);
    problems.push(...(await contractsOf(workspace, targets.document, pair.target)));
  }
  return ordered(problems);
}

/** The targets that a benchmark could use. */
function simulations(targets: readonly TargetEntry[]): TargetEntry[] {
  return targets.filter(
    (each) => each.enabled && each.targetKind === 'simulation' && !CELL_TARGET.test(each.id),
  );
}

function configProblems(targets: readonly TargetEntry[]): Problem[] {
  const all = targets.map(targetFacts);
  return simulations(targets).flatMap((target) => {
    const name = target.config['benchmark_name'];
    const libero = typeof name === 'string' && benchmarkOf(name) === 'libero';
    return targetWarnings(targetFacts(target), all, libero ? LIBERO_STICKY : {});
  });
}

function referenceProblems(targets: readonly TargetEntry[], skills: readonly SkillRuntimeEntry[]): Problem[] {
  const known = new Set(skills.map(({ id }) => id));
  return simulations(targets).flatMap((target) =>
    target.supportedSkillruntimes
      .map((ref) => ref.replace(/^skillruntime:\/\//, ''))
      .filter((id) => !known.has(id))
      .map((id): Problem => {
        return {
          code: 'RB230',
          where: `TARGETS.md ${target.id} supported_skillruntimes`,
          message: 'SKILLRUNTIME.md has no such skill runtime.',
          value: id,
          fix: `It has ${[...known].join(', ') || 'none'}.`,
          consequence: 'Sessions that ask for it are rejected.',
          severity: 'warning',
        };
      }),
  );
}

/** Problems of contract files; those of targets that are not the one to benchmark stop nothing. */
async function contractsOf(
  workspace: string,
  targets: readonly TargetEntry[],
  chosen: string | null,
): Promise<Problem[]> {
  const found = simulations(targets).map(async (target) => {
    const problems = await contractProblems(workspace, target);
    const other = chosen !== null && chosen !== target.id;
    return other ? problems.map((each): Problem => ({ ...each, severity: 'warning' })) : problems;
  });
  return (await Promise.all(found)).flat();
}

/**
 * Where the target and the policy of the pair to benchmark listen; null when the documents leave that open.
 * @param workspace absolute path.
 */
export async function findEndpoints(workspace: string, options: DoctorOptions): Promise<Endpoints | null> {
  const { targets, skillruntimes } = await readRegistries(workspace);
  if (targets.document === null || skillruntimes.document === null) return null;
  return checkPair(targets.document, skillruntimes.document, options).endpoints;
}

function checkPair(
  targets: readonly TargetEntry[],
  skills: readonly SkillRuntimeEntry[],
  options: DoctorOptions,
): { target: string | null; endpoints: Endpoints | null; problems: readonly Problem[] } {
  const choice = choosePair({
    targets: targets.map(targetFacts),
    skillruntimes: skills.map((skill) => {
      return { id: skill.id, runtime_kind: skill.kind, supported_target_kinds: skill.supportedTargetKinds };
    }),
    target: options.target,
    skillruntime: options.skillruntime,
    suites: options.suites,
  });
  // Several pairs are no fault of the workspace; a run asks which one is meant.
  if (!choice.ok) return { target: null, endpoints: null, problems: softened(choice.problems, 'RB303') };
  const endpoints = resolveEndpoints(choice.target, options);
  // Nor is an endpoint that a run will be given.
  return { target: choice.target.id, endpoints, problems: softened(endpoints.problems, 'RB308') };
}

function softened(problems: readonly Problem[], code: Problem['code']): Problem[] {
  return problems.map((each) => (each.code === code ? { ...each, severity: 'warning' } : each));
}

/** Fatal first, each problem once: two targets on one server find the same about a third. */
function ordered(problems: readonly Problem[]): Problem[] {
  const once = new Map(
    problems.map((problem) => [`${problem.code} ${problem.where} ${problem.message}`, problem]),
  );
  const all = [...once.values()];
  return [
    ...all.filter(({ severity }) => severity === 'fatal'),
    ...all.filter(({ severity }) => severity !== 'fatal'),
  ];
}
