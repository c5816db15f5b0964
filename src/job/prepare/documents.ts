import * as path from 'node:path';
import { type Problem, problemOf, RbError } from '../../errors/rb-error.ts';
import { readTextCapped, resolveInside } from '../../files/atomic-file.ts';
import { isTaken } from '../../files/is-there.ts';
import { contractMismatches, parseContract } from '../../workspace/contracts.ts';
import { type Dialect, NOTHING_TELLS, type Reading } from '../../workspace/dialect.ts';
import { MAX_DOCUMENT_BYTES } from '../../workspace/document-limit.ts';
import { findDialect, mayProblem, signOfMay } from '../../workspace/find-dialect.ts';
import { parseLog } from '../../workspace/log.ts';
import { type Parsed, type ReadMapping, readMapping } from '../../workspace/runtime-document.ts';
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
  /** Which dialect's rules were applied, and why. */
  readonly reading: Reading;
  readonly targets: ReadDocument<readonly TargetEntry[]>;
  readonly skillruntimes: ReadDocument<readonly SkillRuntimeEntry[]>;
  readonly sessions: ReadDocument<SessionsDocument>;
}

export interface RuntimeDocuments extends QueueDocuments {
  /** Never fatal, and nothing at all when the file is not there yet. */
  readonly log: ReadDocument<ReadonlyMap<string, unknown>>;
}

export async function readDocuments(
  workspace: string,
  dialect: Dialect | null = null,
): Promise<RuntimeDocuments> {
  const [documents, log] = await Promise.all([readQueueDocuments(workspace, dialect), readLog(workspace)]);
  const logProblems = log.problems
    .filter(({ code }) => code !== 'RB201')
    .map((problem): Problem => ({ ...problem, severity: 'warning' }));
  return { ...documents, log: { ...log, problems: logProblems } };
}

/**
 * The documents without which the runtime does nothing, by its own rules: those of the dialect that all three together show.
 * @param dialect as the user names it; null: by the keys of the documents.
 */
export async function readQueueDocuments(
  workspace: string,
  dialect: Dialect | null = null,
): Promise<QueueDocuments> {
  const [targets, skills, sessions] = await Promise.all(
    ['TARGETS.md', 'SKILLRUNTIME.md', 'SESSIONS.md'].map((file) => readText(workspace, file)),
  );
  if (targets === undefined || skills === undefined || sessions === undefined)
    throw new Error('each file gives a text or its problems');
  const raw = { targets: rawOf(targets), skillruntimes: rawOf(skills), sessions: rawOf(sessions) };
  const may = signOfMay(raw, skills.source === null && (await isTaken(path.join(workspace, 'SKILLS.md'))));
  if (may !== null) return unsupported(workspace, may);
  const reading = findDialect(raw, dialect);
  const conflict = reading.conflict === null ? [] : [undecided(workspace, reading.conflict)];
  const read = parsed(sessions, (source) => parseSessions(source, reading));
  return {
    reading,
    targets: parsed(targets, (source) => parseTargets(source, reading)),
    skillruntimes: parsed(skills, (source) => parseSkillRuntimes(source, reading)),
    sessions: { ...read, problems: [...conflict, ...read.problems] },
  };
}

/** The text and mapping of a document, or why there is none. */
interface TextOf {
  readonly text: string | null;
  readonly source: ReadMapping | null;
  readonly problems: readonly Problem[];
}

async function readText(workspace: string, file: string): Promise<TextOf> {
  const place = path.join(workspace, file);
  if (!(await isTaken(place))) return { text: null, source: null, problems: [missing(file)] };
  try {
    const text = await readTextCapped(place, MAX_DOCUMENT_BYTES);
    return { text, source: readMapping(text, file), problems: [] };
  } catch (error) {
    if (error instanceof RbError) return { text: null, source: null, problems: error.problems };
    throw error;
  }
}

function rawOf({ source }: TextOf): Record<string, unknown> | null {
  return source !== null && 'raw' in source ? source.raw : null;
}

function parsed<T>({ text, source, problems }: TextOf, parse: (source: ReadMapping) => Parsed<T>) {
  return source === null ? { text, document: null, problems } : { text, ...parse(source) };
}

/** One problem in place of those that documents of another shape give. */
function unsupported(workspace: string, sign: string): QueueDocuments {
  const none = { text: null, document: null, problems: [] };
  const sessions = { ...none, problems: [mayProblem(workspace, sign)] };
  return { reading: NOTHING_TELLS, targets: none, skillruntimes: none, sessions };
}

function undecided(workspace: string, conflict: string): Problem {
  return problemOf('RB235', {
    where: workspace,
    message: `which dialect of the runtime reads this workspace cannot be told: ${conflict}.`,
    fix: 'Say which runtime it is: `dialect` june, july or august. Remove nothing before that is known.',
    consequence: 'One of them refuses what the other measures by.',
  });
}

async function readLog(workspace: string): Promise<RuntimeDocuments['log']> {
  const { text, problems } = await readText(workspace, 'LOG.md');
  return text === null ? { text, document: null, problems } : { text, ...parseLog(text) };
}

function missing(file: string): Problem {
  return problemOf('RB201', {
    where: file,
    message: 'the file is missing.',
    fix: 'Start the Agent once with its runtime enabled; it makes the files of a workspace. Check the path, too.',
    consequence: 'The watchdog stops before it looks at any session.',
  });
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
  return problemOf('RB221', {
    where,
    message: 'the contract file is missing.',
    value: ref,
    fix: 'Write the contract there, with target_id equal to the id of the target.',
    consequence: 'Every session of this target is rejected.',
  });
}
