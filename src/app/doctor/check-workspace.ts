import { type Problem, problemOf } from '../../errors/rb-error.ts';
import { contractProblems, type RuntimeDocuments, readDocuments } from '../../job/prepare/documents.ts';
import {
  logFileProblems,
  sessionsFileProblems,
  targetsFileProblems,
} from '../../job/prepare/queue-checks.ts';
import { targetFacts } from '../../job/prepare/target-facts.ts';
import { type Endpoints, resolveEndpoints } from '../../plan/endpoints.ts';
import { isCellTarget } from '../../plan/ids.ts';
import { possiblePairs, type TargetFacts } from '../../plan/pairs.ts';
import { choosePair } from '../../plan/preconditions.ts';
import { benchmarkOf } from '../../plan/suite-defaults.ts';
import { targetWarnings } from '../../plan/target-warnings.ts';
import type { RunnerFacts } from '../../platform/runner-facts.ts';
import type { Dialect } from '../../workspace/dialect.ts';
import type { SkillRuntimeEntry } from '../../workspace/skillruntimes.ts';
import type { TargetEntry } from '../../workspace/targets.ts';
import { workspaceProblems } from '../../workspace/workspace-folder.ts';
import { hostProblems } from './host-checks.ts';

export interface DoctorOptions {
  /** Ids and endpoints the user names, null where none. */
  readonly target: string | null;
  readonly skillruntime: string | null;
  readonly suites: readonly string[] | null;
  readonly policyEndpoint: string | null;
  readonly targetEndpoint: string | null;
  /** As the user names it; null: by the keys of the documents. */
  readonly dialect: Dialect | null;
  /** Milliseconds since 1970. */
  readonly nowMs: number;
  /** Folders of programs, as in PATH. */
  readonly searchPath: string;
  /** The oldest GitHub Actions runner of this machine; null when none can be seen. */
  readonly runner: RunnerFacts | null;
}

/** Keys a LIBERO run sends that stay in the server; their values do not matter here. */
const LIBERO_STICKY = { max_steps: 0, num_steps_wait: 0 };

/** A workspace as its files are. */
export interface Examination {
  /** Everything that would stop (fatal) or mislead (warning) a benchmark, fatal problems first. */
  readonly problems: readonly Problem[];
  /** Null when this is no workspace. */
  readonly documents: RuntimeDocuments | null;
  /** Null when the registries cannot be read. */
  readonly pair: CheckedPair | null;
}

/** What would be benchmarked. */
export interface CheckedPair {
  /** Null when none fits, or several do. */
  readonly chosen: { readonly target: TargetFacts; readonly skillruntime: string } | null;
  /** Every pair that fits. */
  readonly possible: readonly { readonly target: string; readonly skillruntime: string }[];
  /** Of the chosen pair. */
  readonly endpoints: Endpoints | null;
  readonly problems: readonly Problem[];
}

/**
 * Looks at everything in a workspace that a benchmark depends on. Reads files only: nothing is written, no server asked.
 * @param workspace absolute path.
 */
export async function examineWorkspace(workspace: string, options: DoctorOptions): Promise<Examination> {
  const folder = await workspaceProblems(workspace);
  if (folder.length > 0) return { problems: folder, documents: null, pair: null };
  const documents = await readDocuments(workspace, options.dialect ?? null);
  const { targets, skillruntimes } = documents;
  const pair =
    targets.document === null || skillruntimes.document === null
      ? null
      : checkPair(targets.document, skillruntimes.document, options);
  const problems = await documentProblems(workspace, documents, pair, options);
  return { problems: ordered(problems), documents, pair };
}

async function documentProblems(
  workspace: string,
  { targets, skillruntimes, sessions, log }: RuntimeDocuments,
  pair: CheckedPair | null,
  options: DoctorOptions,
): Promise<Problem[]> {
  const problems: Problem[] = [targets, skillruntimes, sessions, log].flatMap((each) => [...each.problems]);
  problems.push(...(await hostProblems(workspace, options.searchPath)));
  if (sessions.text !== null) problems.push(...sessionsFileProblems(sessions.text, options.nowMs));
  if (log.text !== null) problems.push(...logFileProblems(log.text, workspace));
  if (targets.text !== null && targets.document !== null) {
    const file = { text: targets.text, entries: targets.document };
    problems.push(...targetsFileProblems(file, sessions.text));
    problems.push(...configProblems(targets.document));
    if (skillruntimes.document === null)
      problems.push(...(await contractsOf(workspace, targets.document, null)));
  }
  if (targets.document !== null && skillruntimes.document !== null && pair !== null) {
    problems.push(...referenceProblems(targets.document, skillruntimes.document), ...pair.problems);
    problems.push(...(await contractsOf(workspace, targets.document, pair.chosen?.target.id ?? null)));
  }
  return problems;
}

/** The targets that a benchmark could use. */
function simulations(targets: readonly TargetEntry[]): TargetEntry[] {
  return targets.filter((each) => each.enabled && each.targetKind === 'simulation' && !isCellTarget(each.id));
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
        return problemOf('RB230', {
          where: `TARGETS.md ${target.id} supported_skillruntimes`,
          message: 'SKILLRUNTIME.md has no such skill runtime.',
          value: id,
          fix: `It has ${[...known].join(', ') || 'none'}.`,
          consequence: 'Sessions that ask for it are rejected.',
        });
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

function checkPair(
  targets: readonly TargetEntry[],
  skills: readonly SkillRuntimeEntry[],
  options: DoctorOptions,
): CheckedPair {
  const request = {
    targets: targets.map(targetFacts),
    skillruntimes: skills.map((skill) => {
      return { id: skill.id, runtime_kind: skill.kind, supported_target_kinds: skill.supportedTargetKinds };
    }),
    target: options.target,
    skillruntime: options.skillruntime,
    suites: options.suites,
  };
  const choice = choosePair(request);
  const possible = possiblePairs(request).map(({ target, skillruntime }) => {
    return { target: target.id, skillruntime: skillruntime.id };
  });
  // Several pairs are no fault of the workspace; a run asks which one is meant.
  if (!choice.ok)
    return { chosen: null, possible, endpoints: null, problems: softened(choice.problems, 'RB303') };
  const endpoints = resolveEndpoints(choice.target, options);
  const chosen = { target: choice.target, skillruntime: choice.skillruntime.id };
  // Nor is an endpoint that a run will be given.
  return { chosen, possible, endpoints, problems: softened(endpoints.problems, 'RB308') };
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
