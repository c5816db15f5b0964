import * as path from 'node:path';
import { shellWord } from '../base/shell-word.ts';
import { describeTarget } from '../describe/client.ts';
import type { TargetDescription } from '../describe/description.ts';
import { EXIT, type ExitCode, RbError } from '../errors/rb-error.ts';
import { readInputs } from '../inputs/read-inputs.ts';
import type { VerbContext } from '../job/verb.ts';
import { calledAs } from './called-as.ts';
import { doctor } from './doctor.ts';
import { type Answers, answersOf } from './init/answers.ts';
import { type NewDocument, workspaceDocuments } from './init/documents.ts';
import { KITS, type Kit, kitFor } from './init/kits.ts';
import { targetSays } from './init/target-says.ts';
import { terminal } from './init/terminal.ts';
import { alreadyThere, writeNew } from './init/write-new.ts';

const CONNECT_MS = 10_000;
/** Building a simulator for the first time may take minutes. */
const DESCRIBE_MS = 600_000;

/** A workspace that can be written: the target has answered, and nothing lies where it goes. */
export interface PlannedWorkspace {
  /** Absolute. */
  readonly workspace: string;
  readonly suite: string;
  readonly documents: readonly NewDocument[];
}

/**
 * Asks for what is not given and then the target what it is; writes nothing.
 * @throws RbError RB309, RB980, RB984 (exit 2); RB981, RB983 and those of the target (exit 3)
 */
export async function plannedWorkspace(verb: VerbContext): Promise<PlannedWorkspace> {
  const answers = await answersOf(flagsOf(verb), verb.json ? null : terminal(verb.signal));
  const workspace = path.resolve(answers.workspace);
  return { workspace, ...(await documentsOf(answers, workspace, verb)) };
}

/**
 * `init`: makes a workspace for `host` out of what a simulation server says of itself, then runs `doctor` on it. Writes
 * nothing over anything, and nothing at all before the target has answered. Exit 3 when doctor finds what would stop a run.
 */
export async function init(verb: VerbContext): Promise<ExitCode> {
  const { workspace, suite, documents } = await plannedWorkspace(verb);
  await writeNew(workspace, documents);
  const made = documents.map(({ name }) => name);
  const next = nextCommands(workspace);
  if (!verb.json) verb.stdout(`Made ${workspace} with ${made.join(', ')}.\n\n`);
  const { code, printed } = await examined(verb, { workspace });
  verb.stdout(
    verb.json
      ? `${JSON.stringify({ workspace, suite, documents: made, next, doctor: JSON.parse(printed) }, null, 2)}\n`
      : `\nNext, in two terminals:\n${next.map((line) => `  ${line}\n`).join('')}`,
  );
  return code;
}

/** `doctor` with these inputs. With `--json` what it prints is given back, as part of one document. */
export async function examined(
  verb: VerbContext,
  raw: Readonly<Record<string, string>>,
): Promise<{ readonly code: ExitCode; readonly printed: string }> {
  let printed = '';
  const keep = (text: string): void => {
    printed += text;
  };
  const stdout = verb.json ? keep : verb.stdout;
  const code = await doctor({ ...verb, inputs: readInputs(raw), stdout });
  return { code, printed };
}

function flagsOf({ options, inputs }: VerbContext) {
  const given = ['target', 'policy', 'kit'].flatMap((name) => {
    const value = options.get(name);
    return value === undefined ? [] : [[name, value]];
  });
  return {
    ...(inputs.workspace === null ? {} : { workspace: inputs.workspace }),
    ...Object.fromEntries(given),
  };
}

async function documentsOf(
  answers: Answers,
  workspace: string,
  { signal, log }: VerbContext,
): Promise<{ documents: readonly NewDocument[]; suite: string }> {
  const named = answers.kit === null ? null : KITS[answers.kit];
  await refuseWorkspace(workspace, named);
  log.info(`Asking ${answers.target} what it is.`);
  const description = await describeTarget(answers.target, {
    connectTimeoutMs: CONNECT_MS,
    answerTimeoutMs: DESCRIBE_MS,
    signal,
  }).catch((error: unknown) => {
    throw withStart(error, named);
  });
  const says = targetSays(description, `target at ${answers.target}`);
  if (!('suite' in says)) throw new RbError(EXIT.refused, says);
  const kit = named ?? kitOf(description);
  const setting = { kit, says, targetEndpoint: answers.target, policyEndpoint: answers.policy };
  return { documents: workspaceDocuments(setting), suite: says.suite };
}

/** Before the target is asked: a building simulator must not be waited for in vain. */
async function refuseWorkspace(workspace: string, kit: Kit | null): Promise<void> {
  const contract = kit === null ? [] : [`configs/runtime/contracts/${kit.targetId}.runtime.yaml`];
  const problems = await alreadyThere(workspace, [
    'TARGETS.md',
    'SKILLRUNTIME.md',
    'SESSIONS.md',
    ...contract,
  ]);
  if (problems.length > 0) throw new RbError(EXIT.refused, problems);
}

function kitOf({ suite, protocol }: TargetDescription): Kit {
  return kitFor(suite, Object.keys(Object(protocol.observation_schema)));
}

/** Who named a kit may not have started its server yet. */
function withStart(error: unknown, kit: Kit | null): unknown {
  if (!(error instanceof RbError) || kit === null) return error;
  const problems = error.problems.map((problem) =>
    problem.code === 'RB320' ? { ...problem, fix: `Start the server first: ${kit.start}` } : problem,
  );
  return new RbError(error.exitCode, problems, { cause: error });
}

function nextCommands(workspace: string): readonly string[] {
  const program = calledAs(process.argv[1]);
  const where = `--workspace ${shellWord(workspace)}`;
  return [`${program} host ${where}`, `${program} run ${where} --tasks 0 --init-states 0`];
}
