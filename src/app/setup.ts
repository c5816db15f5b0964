import * as path from 'node:path';
import { shellWord } from '../base/shell-word.ts';
import { EXIT, type ExitCode, problemOf, RbError } from '../errors/rb-error.ts';
import { isThere } from '../files/is-there.ts';
import { readInputs } from '../inputs/read-inputs.ts';
import type { VerbContext } from '../job/verb.ts';
import type { Answers } from '../setup/answers.ts';
import { filesOf, PLACEHOLDER, type SetupFile } from '../setup/files.ts';
import type { Gate } from '../setup/gate.ts';
import { nextLines } from '../setup/next.ts';
import { calledAs } from './called-as.ts';
import type { Ask } from './init/answers.ts';
import { terminal } from './init/terminal.ts';
import { writeNew } from './init/write-new.ts';
import { examined, type PlannedWorkspace, plannedWorkspace } from './init.ts';
import { actionReference } from './setup/action-reference.ts';
import { answersFor, doorOf } from './setup/ask-all.ts';
import { lookAt, writeFiles } from './setup/write-files.ts';

/**
 * `setup`: writes the workflows and the config file of a gate, and for a simulator the workspace, then runs `doctor` where there is
 * a workspace, and says what comes next. Everything is written or nothing, and nothing over anything without a word.
 * Exit 3 when doctor finds what would stop a run.
 */
export async function setup(verb: VerbContext): Promise<ExitCode> {
  const ask = verb.json || verb.options.has('yes') ? null : terminal(verb.signal);
  const repository = path.resolve(verb.options.get('repository') ?? '.');
  const gate = await gateOf(verb, ask);
  const names = filesOf(gate).map(({ name }) => name);
  await refuseFound(repository, names, { ask, replace: verb.options.has('replace') });
  const planned = gate.door === 'simulator' ? await onceItListens(verb, ask) : null;
  const whole = planned === null ? gate : { ...gate, answers: { ...gate.answers, ...ofWorkspace(planned) } };
  await writeAll(repository, filesOf(whole), planned);
  return told(verb, { gate: whole, repository, names, planned });
}

async function gateOf(verb: VerbContext, ask: Ask | null): Promise<Gate> {
  const asking = { ask, yes: verb.options.has('yes') };
  const door = await doorOf(verb.options.get('have'), asking);
  const answers = await answersFor(door, givenIn(verb), asking);
  // By the parser of the inputs, so that what is written is what a run will take.
  readInputs(inputsOf(answers), undefined, { required: [] });
  const action = verb.options.get('action') ?? (await actionReference(process.argv[1]));
  return { door, answers, action, release: verb.options.has('release') };
}

function givenIn({ options, inputs }: VerbContext): Answers {
  const { workspace, suites, policyEndpoint, policyCommand } = inputs;
  const given: Record<string, string | null | undefined> = {
    ...Object.fromEntries(
      ['tool', 'command', 'results', 'planned', 'floor'].map((name) => [name, options.get(name)]),
    ),
    workspace,
    suite: suites?.join(', '),
    'policy-endpoint': policyEndpoint,
    'policy-command': policyCommand,
  };
  return Object.fromEntries(
    Object.entries(given).filter(([, value]) => value !== undefined && value !== null),
  );
}

function inputsOf(answers: Answers): Record<string, string> {
  const { floor, planned, tool: _tool, command: _command, 'policy-endpoint': endpoint, ...same } = answers;
  return {
    ...same,
    ...(floor === undefined ? {} : { 'min-success-rate': floor }),
    ...(planned === undefined ? {} : { 'results-planned': planned }),
    // Beside a command it belongs to other workflows.
    ...(endpoint === undefined || same['policy-command'] !== undefined
      ? {}
      : { 'policy-endpoint': endpoint }),
  };
}

/** How long a simulator that was started a moment ago may take until it listens. */
const LISTEN_MS = 60_000;
const LOOK_MS = 1_000;

/** As `init` does it; where nobody is asked, a server that does not listen yet is waited for: it may be the command before this one. */
async function onceItListens(verb: VerbContext, ask: Ask | null): Promise<PlannedWorkspace> {
  if (ask !== null) return plannedWorkspace(verb);
  const end = verb.clock.now() + LISTEN_MS;
  for (;;) {
    try {
      return await plannedWorkspace({ ...verb, json: true });
    } catch (error) {
      const listens = !(error instanceof RbError) || error.problems.some(({ code }) => code !== 'RB320');
      if (listens || verb.signal.aborted || verb.clock.now() >= end) throw error;
      verb.log.progress('The simulation server does not listen yet.');
    }
    await verb.clock.sleep(LOOK_MS, verb.signal);
  }
}

function ofWorkspace({ workspace, suite }: PlannedWorkspace): Answers {
  return { workspace, suite };
}

interface Replacing {
  readonly ask: Ask | null;
  readonly replace: boolean;
}

async function refuseFound(
  repository: string,
  names: readonly string[],
  { ask, replace }: Replacing,
): Promise<void> {
  const { there, problems } = await lookAt(repository, names);
  if (problems.length > 0) throw new RbError(EXIT.refused, problems);
  if (there.length === 0 || replace) return;
  const answer =
    ask === null ? 'no' : await ask(`${there.join(', ')} exists; write over it? (yes or no)`, 'no');
  if (/^y(?:es)?$/i.test(answer.trim())) return;
  throw new RbError(
    EXIT.refused,
    there.map((name) =>
      problemOf('RB996', {
        where: path.join(repository, name),
        message:
          'it is there already, and setup writes over nothing without being asked. Nothing was written.',
        fix: 'Move it away, or give --replace to have it written anew.',
      }),
    ),
  );
}

/** The repository first: of the workspace nothing may be left when a file of the gate cannot be written. */
async function writeAll(
  repository: string,
  files: readonly SetupFile[],
  planned: PlannedWorkspace | null,
): Promise<void> {
  const undo = await writeFiles(repository, files);
  if (planned === null) return;
  try {
    await writeNew(planned.workspace, planned.documents);
  } catch (error) {
    await undo();
    throw error;
  }
}

interface Written {
  readonly gate: Gate;
  readonly repository: string;
  readonly names: readonly string[];
  readonly planned: PlannedWorkspace | null;
}

async function told(verb: VerbContext, { gate, repository, names, planned }: Written): Promise<ExitCode> {
  const { workspace, suite = '' } = gate.answers;
  const documents = planned?.documents.map(({ name }) => name) ?? [];
  const next = nextLines(gate, {
    program: calledAs(process.argv[1]),
    word: shellWord,
    named: gate.action !== PLACEHOLDER,
  });
  if (!verb.json) {
    const made = planned === null ? '' : `Made ${planned.workspace} with ${documents.join(', ')}.\n`;
    verb.stdout(`Wrote ${names.join(', ')} in ${repository}.\n${made}\n`);
  }
  // A gate is often set up on another machine than the host's.
  const here = workspace !== undefined && gate.door !== 'results' && (await isThere(workspace));
  const { code, printed } = here
    ? await examined(verb, { workspace, suite })
    : { code: EXIT.ok, printed: 'null' };
  verb.stdout(
    verb.json
      ? `${JSON.stringify({ repository, files: names, workspace: workspace ?? null, documents, next, doctor: JSON.parse(printed) }, null, 2)}\n`
      : `\nNext:\n${next.map((line) => `  ${line}\n`).join('')}`,
  );
  return code;
}
