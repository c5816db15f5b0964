import { createJournal } from '../journal/journal.ts';
import { refuseFenced } from '../lane/fence.ts';
import { hostFolder } from '../lane/host-folder.ts';
import { openLedger } from '../lane/ledger.ts';
import { cellTargets } from './cell-target.ts';
import { QueueDocuments } from './documents.ts';
import type { ExecutionInput } from './execution.ts';
import { hostRefusal } from './host-refusal.ts';
import type { Command, Event } from './machine/commands.ts';
import type { ExecutionEnd } from './machine/job.ts';
import { beginning, type State } from './machine/state.ts';
import { step } from './machine/step.ts';
import { Performer } from './perform.ts';
import { createProgress } from './progress.ts';

/**
 * Executes a plan on the simulation host: queues its cells a few at a time, waits for the watchdog, archives each
 * session's evidence, takes our entries out again. The lane must be held. Everything is journaled first, so a crash at
 * any point is mended by the next attempt (`resume`) or by a sweep.
 * @throws RbError RB375 or RB409 fenced host, RB402 attempt folder in use, RB403 unreadable journal of an earlier attempt, RB404 cell target id
 * taken, RB2xx documents that cannot be edited.
 */
export async function executePlan(input: ExecutionInput): Promise<ExecutionEnd> {
  await refuseFenced(input.workspace);
  const now = (): number => input.clock.now();
  const targets = cellTargets(input.base, input.plan, input.positions);
  const documents = new QueueDocuments(input.workspace);
  try {
    const journal = await createJournal(input.bundleDir, now, input.mask);
    const ledger = await openLedger(hostFolder(input.workspace).ledger, now);
    const progress = createProgress(input);
    const performer = new Performer({ input, documents, journal, ledger, progress });
    try {
      return await untilEnd(input, beginning(input, targets, now()), performer);
    } finally {
      performer.close();
      await journal.close();
      await ledger.close();
    }
  } finally {
    documents.close();
  }
}

/** Performs what `step` wants, in its order; what a reaction wants comes before what is left of the rule. */
async function untilEnd(
  { clock, signal }: ExecutionInput,
  first: State,
  performer: Performer,
): Promise<ExecutionEnd> {
  let state = first;
  let todo: readonly Command[] = [];
  let event: Event = { type: 'idle' };
  for (;;) {
    const next = step(state, event, { ms: clock.now(), interrupted: signal.aborted });
    state = next.state;
    // Nothing may follow what the host refused.
    const wanted: readonly Command[] = event.type === 'refused' ? next.commands : [...next.commands, ...todo];
    const [command, ...rest] = wanted;
    todo = rest;
    if (command?.type === 'end') return command.end;
    if (command?.type === 'fail') throw command.error;
    event = command === undefined ? { type: 'idle' } : await performed(performer, command, state);
  }
}

type Performed = Parameters<Performer['perform']>;

/** A refusal of the host is an event like others; a bug is thrown on, and the ledger knows what to sweep. */
async function performed(performer: Performer, ...[command, state]: Performed): Promise<Event> {
  try {
    return await performer.perform(command, state);
  } catch (error) {
    const reason = hostRefusal(error);
    if (reason === null) throw error;
    if (command.type === 'journal' && command.quiet === true) return { type: 'done' };
    return { type: 'refused', reason, error };
  }
}
