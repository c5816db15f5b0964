import * as path from 'node:path';
import { EXIT, type Problem, RbError } from '../../errors/rb-error.ts';
import { readTextCapped, replacementProblems, resolveInside } from '../../files/atomic-file.ts';
import type { Inputs } from '../../inputs/read-inputs.ts';
import { workingWatchdog } from '../../lane/watchdog-record.ts';
import { type Endpoints, resolveEndpoints } from '../../plan/endpoints.ts';
import type { SkillFacts, TargetFacts } from '../../plan/pairs.ts';
import { choosePair } from '../../plan/preconditions.ts';
import type { BaseTarget } from '../../queue/cell-target.ts';
import { contractMismatches, parseContract } from '../../workspace/contracts.ts';
import type { Dialect } from '../../workspace/dialect.ts';
import { MAX_DOCUMENT_BYTES } from '../../workspace/document-limit.ts';
import type { Parsed } from '../../workspace/runtime-document.ts';
import type { TargetEntry } from '../../workspace/targets.ts';
import { requireRuntimeWorkspace } from '../../workspace/workspace-folder.ts';
import { diskProblems } from '../disk-problems.ts';
import { type QueueDocuments, readQueueDocuments } from './documents.ts';
import { targetsFileProblems } from './queue-checks.ts';
import { targetFacts } from './target-facts.ts';

const MAX_CONTRACT_BYTES = 4 * 1024 * 1024;

/** A workspace whose documents the runtime would accept, and the pair to benchmark. */
export interface OpenHost {
  /** Absolute. */
  readonly workspace: string;
  readonly base: BaseTarget;
  readonly target: TargetEntry;
  readonly targets: readonly TargetFacts[];
  readonly skillruntime: string;
  readonly endpoints: Endpoints;
  /** Null when nothing tells which it is. */
  readonly dialect: Dialect | null;
  /** Our own watchdog with its version, where it works on this workspace; null: it does not. */
  readonly watchdog: string | null;
  readonly warnings: readonly Problem[];
}

export interface HostNeeds {
  /** False for a use case that only plans: which policy will answer is no part of a plan. */
  readonly policy: boolean;
  /** What was read a moment ago, when it was also tried whether TARGETS.md can be edited; left out: all is read here. */
  readonly examined?: QueueDocuments;
}

/**
 * Reads the runtime's documents and checks everything that must hold before a session is queued. Writes nothing.
 * @throws RbError with every fatal problem at once (exit 3).
 */
export async function openHost(inputs: Inputs, needs: HostNeeds = { policy: true }): Promise<OpenHost> {
  const workspace = path.resolve(inputs.workspace ?? '.');
  await requireRuntimeWorkspace(workspace);
  const read = needs.examined ?? (await readQueueDocuments(workspace, inputs.dialect));
  const { targets, skillruntimes: skills, sessions } = read;
  const documents = [...targets.problems, ...skills.problems, ...sessions.problems];
  if (targets.document === null || skills.document === null || sessions.document === null)
    throw refusal(documents);
  const facts = firstOfEachId(targets.document).map(chosenTarget);
  const choice = choosePair({
    targets: facts,
    skillruntimes: skills.document.map(skillFacts),
    target: inputs.target,
    skillruntime: inputs.skillruntime,
    suites: inputs.suites,
  });
  const host = await hostProblems(workspace);
  if (!choice.ok) throw refusal([...documents, ...choice.problems, ...host]);
  const { target } = choice.target;
  const endpoints = resolveEndpoints(choice.target, inputs);
  const contract = await readContract(workspace, target);
  const edits = needs.examined === undefined ? await editProblems(workspace, targets.document) : [];
  const problems = [
    ...documents,
    ...neededProblems(endpoints.problems, needs),
    ...contract.problems,
    ...edits,
    ...host,
  ];
  if (contract.document === null || problems.some(isFatal)) throw refusal(problems);
  return {
    workspace,
    base: { id: target.id, entry: target.raw, contract: contract.document },
    target,
    targets: facts,
    skillruntime: choice.skillruntime.id,
    endpoints,
    dialect: read.reading.dialect,
    watchdog: await workingWatchdog(workspace),
    warnings: problems,
  };
}

async function readContract(
  workspace: string,
  target: TargetEntry,
): Promise<Parsed<Record<string, unknown>>> {
  try {
    const file = await resolveInside(workspace, target.contractRef);
    const parsed = parseContract(await readTextCapped(file, MAX_CONTRACT_BYTES), target.contractRef);
    if (parsed.document === null) return { document: null, problems: parsed.problems };
    const problems = [...parsed.problems, ...contractMismatches(target, parsed.document)];
    return { document: parsed.document.raw, problems };
  } catch (error) {
    if (error instanceof RbError) return { document: null, problems: error.problems };
    throw error;
  }
}

/** Can cell targets be put into TARGETS.md without touching what is there? Left-over ones go by themselves. */
async function editProblems(workspace: string, entries: readonly TargetEntry[]): Promise<Problem[]> {
  const text = await readTextCapped(path.join(workspace, 'TARGETS.md'), MAX_DOCUMENT_BYTES);
  return targetsFileProblems({ text, entries }, null).filter(isFatal);
}

/** Can the two documents be replaced with owner and mode kept, and is there room? */
async function hostProblems(workspace: string): Promise<Problem[]> {
  const files = await Promise.all(
    ['SESSIONS.md', 'TARGETS.md'].map((file) => replacementProblems(path.join(workspace, file))),
  );
  return [...files.flat(), ...(await diskProblems(workspace))];
}

/** The runtime only ever looks at the first target of an id; the others were warned about. */
function firstOfEachId(targets: readonly TargetEntry[]): TargetEntry[] {
  const byId = new Map<string, TargetEntry>();
  for (const target of targets) if (!byId.has(target.id)) byId.set(target.id, target);
  return [...byId.values()];
}

interface ChosenTarget extends TargetFacts {
  readonly target: TargetEntry;
}

function chosenTarget(target: TargetEntry): ChosenTarget {
  return { ...targetFacts(target), target };
}

function skillFacts(skill: {
  readonly id: string;
  readonly kind: string;
  readonly supportedTargetKinds: readonly string[];
}): SkillFacts {
  return { id: skill.id, runtime_kind: skill.kind, supported_target_kinds: skill.supportedTargetKinds };
}

function isFatal(problem: Problem): boolean {
  return problem.severity === 'fatal';
}

function refusal(problems: readonly Problem[]): RbError {
  return new RbError(EXIT.refused, problems);
}

function neededProblems(problems: readonly Problem[], { policy }: HostNeeds): readonly Problem[] {
  return policy ? problems : problems.filter(({ code }) => code !== 'RB308');
}
