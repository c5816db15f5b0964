import * as path from 'node:path';
import { type Problem, RbError } from '../../errors/rb-error.ts';
import { readTextCapped, resolveInside } from '../../files/atomic-file.ts';
import { isTaken } from '../../files/is-there.ts';
import { contractMismatches, parseContract } from '../../workspace/contracts.ts';
import { MAX_DOCUMENT_BYTES } from '../../workspace/document-limit.ts';
import { parseLog } from '../../workspace/log.ts';
import type { Parsed } from '../../workspace/runtime-document.ts';
import { parseSessions, type SessionsDocument } from '../../workspace/sessions.ts';
import { parseSkillRuntimes, type SkillRuntimeEntry } from '../../workspace/skillruntimes.ts';
import { parseTargets, type TargetEntry } from '../../workspace/targets.ts';

const MAX_CONTRACT_BYTES = 4 * 1024 * 1024;

/** A document that was read; text and content are null when it could not be. */
interface ReadDocument<T> {
  readonly text: string | null;
  readonly document: T | null;
  readonly problems: readonly Problem[];
}

/** What the runtime reads before it does anything. */
export interface QueueDocuments {
  readonly targets: ReadDocument<readonly TargetEntry[]>;
  readonly skillruntimes: ReadDocument<readonly SkillRuntimeEntry[]>;
  readonly sessions: ReadDocument<SessionsDocument>;
}

export interface RuntimeDocuments extends QueueDocuments {
  /** Never fatal, and nothing at all when the file is not there yet. */
  readonly log: ReadDocument<ReadonlyMap<string, unknown>>;
}

export async function readDocuments(workspace: string): Promise<RuntimeDocuments> {
  const [documents, log] = await Promise.all([
    readQueueDocuments(workspace),
    readOne<ReadonlyMap<string, unknown>>(workspace, 'LOG.md', parseLog),
  ]);
  const logProblems = log.problems
    .filter(({ code }) => code !== 'RB201')
    .map((problem): Problem => ({ ...problem, severity: 'warning' }));
  return { ...documents, log: { ...log, problems: logProblems } };
}

/** The documents without which the runtime does nothing, by its own rules. */
export async function readQueueDocuments(workspace: string): Promise<QueueDocuments> {
  const [targets, skillruntimes, sessions] = await Promise.all([
    readOne(workspace, 'TARGETS.md', parseTargets),
    readOne(workspace, 'SKILLRUNTIME.md', parseSkillRuntimes),
    readOne(workspace, 'SESSIONS.md', (text) => parseSessions(text)),
  ]);
  return { targets, skillruntimes, sessions };
}

async function readOne<T>(
  workspace: string,
  file: string,
  parse: (text: string) => Parsed<T>,
): Promise<ReadDocument<T>> {
  const place = path.join(workspace, file);
  if (!(await isTaken(place))) return { text: null, document: null, problems: [missing(file)] };
  try {
    const text = await readTextCapped(place, MAX_DOCUMENT_BYTES);
    return { text, ...parse(text) };
  } catch (error) {
    if (error instanceof RbError) return { text: null, document: null, problems: error.problems };
    throw error;
  }
}

function missing(file: string): Problem {
  return {
    code: 'RB201',
    where: file,
    message: 'the file is missing.',
    fix: 'Start the Agent once with its runtime enabled; it makes the files of a workspace. Check the path, too.',
    consequence: 'The watchdog stops before it looks at any session.',
    severity: 'fatal',
  };
}

/** What is wrong with the contract file of a target. */
export async function contractProblems(workspace: string, target: TargetEntry): Promise<Problem[]> {
  const where = `TARGETS.md ${target.id} runtime.runtime_contract_ref`;
  try {
    const file = await resolveInside(workspace, target.contractRef);
    if (!(await isTaken(file))) return [noContract(where, target.contractRef)];
    const parsed = parseContract(await readTextCapped(file, MAX_CONTRACT_BYTES), target.contractRef);
    if (parsed.document === null) return [...parsed.problems];
    return [...parsed.problems, ...contractMismatches(target, parsed.document)];
  } catch (error) {
    if (error instanceof RbError)
      return error.problems.map((problem) => ({ ...problem, where: `${where}: ${problem.where}` }));
    throw error;
  }
}

function noContract(where: string, ref: string): Problem {
  return {
    code: 'RB221',
    where,
    message: 'the contract file is missing.',
    value: ref,
    fix: 'Write the contract there, with target_id equal to the id of the target.',
    consequence: 'Every session of this target is rejected.',
    severity: 'fatal',
  };
}
