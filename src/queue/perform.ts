import { isTaken } from '../files/is-there.ts';
import type { Journal } from '../journal/journal.ts';
import { hostFolder } from '../lane/host-folder.ts';
import { foldLedger, type Ledger, readLedger } from '../lane/ledger.ts';
import { runtimeArtifacts } from '../workspace/id-path.ts';
import { collect } from './collect.ts';
import type { QueueDocuments } from './documents.ts';
import { archivedEntries, copyArchive, earlierJournals } from './earlier-attempts.ts';
import type { ExecutionInput } from './execution.ts';
import { changedMs, fenceOver } from './fence-host.ts';
import { type Inquiry, inquire } from './inquiry.ts';
import type { Command, EditSessions, Event } from './machine/commands.ts';
import { cellAt, freshId, type NewSession } from './machine/entries.ts';
import type { State } from './machine/state.ts';
import type { ProgressReporter } from './progress.ts';
import { rewrittenSince } from './settled-evidence.ts';
import { sweep } from './sweep.ts';

/** Longest wait for the lock of a sweep, which is not worth more. */
const SWEEP_LOCK_MS = 10_000;

const DONE: Event = { type: 'done' };

interface Tools {
  readonly input: ExecutionInput;
  readonly documents: QueueDocuments;
  readonly journal: Journal;
  readonly ledger: Ledger;
  readonly progress: ProgressReporter;
}

/** Does what `step` wants, one command at a time, and decides nothing. */
export class Performer {
  readonly #tools: Tools;
  #inquiry: Inquiry | null = null;

  constructor(tools: Tools) {
    this.#tools = tools;
  }

  /** Leaves no question open. */
  close(): void {
    this.#inquiry?.cancel();
  }

  /** What came of it. `state` is what `step` left, for whoever watches. */
  async perform(command: Exclude<Command, { type: 'end' | 'fail' }>, state: State): Promise<Event> {
    const { input, documents, progress } = this.#tools;
    switch (command.type) {
      case 'journal':
      case 'ledger':
      case 'announce':
        return write(this.#tools, command);
      case 'say':
        input.log[command.level](command.text);
        return DONE;
      case 'report':
        progress.report(state, { ms: input.clock.now(), interrupted: input.signal.aborted });
        return DONE;
      case 'wait':
        await documents.change(command.ms, input.signal);
        return DONE;
      case 'look':
        return {
          type: 'looked',
          snapshot: await documents.sessions(),
          window: await windowOf(this.#tools),
          wanted: (await input.lends?.wanted()) ?? null,
          answers: this.#inquiry?.complaints ?? null,
        };
      case 'give_way':
        return giveWay(this.#tools);
      case 'ask':
        this.#inquiry = inquire(input.probes, input.signal);
        return DONE;
      case 'write_contracts':
      case 'edit_targets':
      case 'remove_contracts':
      case 'find_damaged':
      case 'edit_sessions':
        return change(this.#tools, command);
      default:
        return gather(this.#tools, command);
    }
  }
}

function windowOf({ input, documents }: Tools): Promise<number | null> | null {
  return input.followsHost === null ? null : documents.window(input.followsHost);
}

/** Whoever has the host meanwhile may shorten the ledger, so ours is another file then. */
async function giveWay({ input, ledger }: Tools): Promise<Event> {
  await ledger.close();
  const lent = (await input.lends?.giveWay(input.signal)) ?? null;
  // Of an interrupted run the host may be somebody else's by now.
  if (lent !== null) await ledger.reopen();
  return { type: 'back', lent };
}

type Only<T extends Command['type']> = Extract<Command, { readonly type: T }>;

async function write(
  { journal, ledger }: Tools,
  command: Only<'journal' | 'ledger' | 'announce'>,
): Promise<Event> {
  const events =
    command.type === 'journal' ? command.events : command.type === 'announce' ? command.intents : [];
  const lines = command.type === 'ledger' ? command.events : command.type === 'announce' ? command.owned : [];
  await Promise.all([
    ...(events.length === 0 ? [] : [journal.append(...events)]),
    ...(lines.length === 0 ? [] : [ledger.append(...lines)]),
  ]);
  return { type: 'written', journal: events, ledger: lines };
}

/** Edits of the workspace's documents. */
async function change(
  { documents, input }: Tools,
  command: Only<'write_contracts' | 'edit_targets' | 'remove_contracts' | 'find_damaged' | 'edit_sessions'>,
): Promise<Event> {
  switch (command.type) {
    case 'write_contracts':
      for (const target of command.targets) await documents.writeContract(target);
      return DONE;
    case 'edit_targets':
      await documents.editTargets(command.edit);
      return DONE;
    case 'remove_contracts':
      for (const contract of command.contracts) await documents.removeContract(contract);
      return DONE;
    case 'find_damaged':
      return { type: 'damaged', targets: await documents.damagedCellTargets(command.expected) };
    case 'edit_sessions':
      return { type: 'edited', command, edited: await editSessions(documents, input, command) };
  }
}

function editSessions(
  documents: QueueDocuments,
  { log, signal }: ExecutionInput,
  { edit, purpose, timeoutMs, slowestTransitionMs }: EditSessions,
): ReturnType<QueueDocuments['editSessions']> {
  const withdraws = purpose.for === 'withdraw';
  const what = withdraws ? 'take our pending sessions back' : 'change SESSIONS.md';
  return documents.editSessions(edit, {
    timeoutMs,
    // What is pending is taken back because the run was interrupted, or all the same.
    ...(withdraws ? {} : { signal }),
    slowestTransitionMs,
    onWait: (reason) => log.info(`Waiting to ${what}: ${reason}.`),
  });
}

type Gathering = Exclude<
  Command,
  Only<
    | (
        | 'journal'
        | 'ledger'
        | 'announce'
        | 'say'
        | 'report'
        | 'wait'
        | 'look'
        | 'give_way'
        | 'ask'
        | 'end'
        | 'fail'
      )
    | ('write_contracts' | 'edit_targets' | 'remove_contracts' | 'find_damaged' | 'edit_sessions')
  >
>;

/** What takes more than one file to find out or to do. */
async function gather(tools: Tools, command: Gathering): Promise<Event> {
  const { input } = tools;
  const { workspace, runId } = input;
  switch (command.type) {
    case 'collect':
      return collect(input, command.session, command.entry);
    case 'diagnose':
      return { type: 'diagnosed', answer: (await input.diagnose?.(command.of)) ?? null };
    case 'when_changed':
      return { type: 'changed', changedMs: await changedMs(workspace) };
    case 'fence':
      await fenceOver(workspace, command.entry, { runId, nowMs: input.clock.now() });
      return DONE;
    case 'prepare':
      return { type: 'prepared', sessions: await prepare(input, command) };
    case 'read_earlier':
      return { type: 'earlier', attempts: await earlierJournals(input) };
    case 'copy_archive':
      return {
        type: 'copied',
        session: command.session,
        archive: await copyArchive(input, command.session.sessionId),
      };
    case 'read_ledger':
      return {
        type: 'ledger_read',
        holdings: foldLedger(await readLedger(hostFolder(workspace).ledger)),
      };
    case 'sweep':
      return sweepOthers(tools, command);
    case 'look_back':
      return { type: 'rewritten', sessionIds: rewrittenSince(input, command.sessions) };
    case 'read_kept':
      return { type: 'kept_read', entries: await archivedEntries(input, command.sessionIds) };
  }
}

/** Ids that were never used, and where each session finds its policy. */
async function prepare(input: ExecutionInput, { cells, known }: Only<'prepare'>): Promise<NewSession[]> {
  if (!(await takeTurns(input, cells))) return [];
  const isUsed = async (id: string): Promise<boolean> =>
    known.has(id) || (await isTaken(runtimeArtifacts(input.workspace, id)));
  const fresh: NewSession[] = [];
  for (const { position, used, target } of cells) {
    const id = await freshId(input, { position, used }, isUsed);
    const relay = (await input.recorder?.listen(id.sessionId, cellAt(input, position).arm)) ?? null;
    fresh.push({ ...id, position, target, relay });
  }
  return fresh;
}

/** Who has the turn is up then. False when the run was interrupted meanwhile. */
async function takeTurns(input: ExecutionInput, cells: Only<'prepare'>['cells']): Promise<boolean> {
  const { turns, signal } = input;
  if (turns === null) return true;
  try {
    for (const arm of new Set(cells.map(({ position }) => cellAt(input, position).arm)))
      await turns.use(arm, signal);
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  return !signal.aborted;
}

async function sweepOthers({ input, documents, ledger }: Tools, { except }: Only<'sweep'>): Promise<Event> {
  const { workspace, clock, signal } = input;
  const holdings = foldLedger(await readLedger(hostFolder(workspace).ledger));
  const patience = { timeoutMs: SWEEP_LOCK_MS, signal, slowestTransitionMs: 0, onWait: () => undefined };
  const result = await sweep({ workspace, documents, ledger, clock, patience, except }, holdings);
  return {
    type: 'swept',
    sessions: result.removed.length,
    cellTargets: result.cellTargetsRemoved.length,
  };
}
