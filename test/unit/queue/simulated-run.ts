import { foldLedger } from '../../../src/lane/ledger.ts';
import type { JournalEvent, JournalRecord } from '../../../src/model/journal-events.ts';
import type { Plan } from '../../../src/model/plan.ts';
import { makePlan } from '../../../src/plan/make-plan.ts';
import { cellTargets } from '../../../src/queue/cell-target.ts';
import type { Collected, Command, Event } from '../../../src/queue/machine/commands.ts';
import type { Removal } from '../../../src/queue/machine/edits.ts';
import { freshId, type NewSession } from '../../../src/queue/machine/entries.ts';
import { DEFAULT_QUEUE_SETTINGS, type ExecutionEnd, type Job } from '../../../src/queue/machine/job.ts';
import type { SessionMemory } from '../../../src/queue/machine/run-memory.ts';
import type { QueueEntry } from '../../../src/queue/machine/snapshot.ts';
import { hasLingered } from '../../../src/queue/machine/standing-targets.ts';
import { beginning } from '../../../src/queue/machine/state.ts';
import { step } from '../../../src/queue/machine/step.ts';
import { type Chance, SimulatedHost } from './simulated-host.ts';

export const BASE = { id: 'base', entry: { id: 'base', config: {} }, contract: { target_id: 'base' } };
const WINDOW = 2;

export function smallPlan(initStates: number): Plan {
  return makePlan({
    purpose: 'adhoc',
    benchmark: 'libero',
    suite: 'libero_spatial',
    skillruntime: 'skill',
    tasks: [0, 1].map((taskId) => ({ taskId, language: `task ${taskId}` })),
    initStates: Array.from({ length: initStates }, (_, at) => at),
    repeats: 1,
    arms: ['candidate'],
    seed: 1,
    limits: {
      maxSteps: 220,
      settleSteps: 10,
      maxPolicyCalls: 220,
      replanEverySteps: 5,
      actionChunkMode: 'chunk_buffer',
      sessionTimeoutS: 60,
      policyTimeoutS: 10,
    },
    targetConfig: { action_dim: 7 },
    retryErrors: 1,
    timeoutsAs: 'error',
    thresholds: {
      minSuccessRate: null,
      minTaskSuccessRate: null,
      thresholdMode: 'point',
      maxRegression: 0.05,
      onInconclusive: 'pass',
    },
  });
}

/** An attempt that continues all before it. */
export function jobOf(plan: Plan, attempt: number): Job {
  return {
    bundleDir: `/bundle-${attempt}`,
    runId: 'sim',
    attempt,
    plan,
    planDigest: 'digest',
    positions: plan.cells.map((_, position) => position),
    endpoints: { target: null, policy: { candidate: 'openpi://h:1' } },
    settings: { ...DEFAULT_QUEUE_SETTINGS, queueWindow: WINDOW },
    identity: {},
    resume: Array.from({ length: attempt - 1 }, (_, at) => ({
      attempt: at + 1,
      bundleDir: `/bundle-${at + 1}`,
    })),
    lane: { waitedMs: 0, waitedFor: null },
    primer: null,
    caps: null,
    earlyStop: null,
  };
}

/** How an attempt ends after so many commands. */
export interface Stop {
  readonly after: number;
  /** `killed`: the last command may be done by half. `refused`: the host refuses it, as a full disk does. */
  readonly how: 'killed' | 'interrupted' | 'refused';
}

export const FULL_DISK = new Error('the disk is full');

function refusal(command: Command): Event {
  if (command.type === 'say' || command.type === 'report' || command.type === 'wait') return { type: 'done' };
  if (command.type === 'journal' && command.quiet === true) return { type: 'done' };
  return { type: 'refused', reason: FULL_DISK.message, error: FULL_DISK };
}

interface Attempt {
  readonly records: JournalRecord[];
  /** Bodies of the entries in `raw/`, and what was judged from them. */
  readonly raw: Map<string, { readonly body: unknown; readonly outcome: 'success' | 'failure' | 'error' }>;
}

/** All attempts of one run on a simulated host. What a process knew is gone when it is killed; what it wrote is not. */
export class SimulatedRun {
  readonly host: SimulatedHost;
  readonly attempts: Attempt[] = [];
  readonly #chance: Chance;
  readonly #plan: Plan;
  /** What a sweep saved. */
  readonly #swept: Attempt['raw'] = new Map();
  #isAsked = false;
  /** How often the lane was lent, and how long that took. */
  lent = { times: 0, ms: 0 };
  /** Whether a run that passes waits for the lane. */
  isWanted = false;

  constructor(chance: Chance, plan: Plan) {
    this.#chance = chance;
    this.#plan = plan;
    this.host = new SimulatedHost(chance, WINDOW);
  }

  /**
   * One attempt; `between` happens after each command.
   * @param stop null: it comes to its end in peace.
   */
  async attempt(stop: Stop | null, between: () => void): Promise<ExecutionEnd | null> {
    const job = jobOf(this.#plan, this.attempts.length + 1);
    this.attempts.push({ records: [], raw: new Map() });
    let state = beginning(job, cellTargets(BASE, job.plan, job.positions), this.host.nowMs);
    let todo: readonly Command[] = [];
    let event: Event = { type: 'idle' };
    let count = 0;
    let isFull = false;
    for (;;) {
      const isOver = stop !== null && count >= stop.after;
      const next = step(state, event, {
        ms: this.host.nowMs,
        interrupted: isOver && stop.how === 'interrupted',
      });
      state = next.state;
      const wanted: readonly Command[] =
        event.type === 'refused' ? next.commands : [...next.commands, ...todo];
      const [command, ...rest] = wanted;
      todo = rest;
      event = { type: 'idle' };
      if (command?.type === 'end') return command.end;
      if (command?.type === 'fail') throw command.error;
      if (command === undefined) continue;
      count += 1;
      if (count > 20_000) throw new Error('it comes to no end');
      if (count === stop?.after && stop.how === 'killed') return this.#halfway(command);
      const isRefused: boolean =
        (count === stop?.after && stop.how === 'refused') || (isFull && command.type === 'journal');
      // What could not be written is missing from the chain, so nothing may follow it.
      isFull ||= isRefused && (command.type === 'journal' || command.type === 'announce');
      between();
      event = isRefused ? refusal(command) : await this.#perform(command);
    }
  }

  /** The process dies in the middle of a command: of what it appends any part may be there. */
  #halfway(command: Command): null {
    if (command.type === 'journal') this.#journal(command.events.slice(0, this.#chance.below(3)));
    if (command.type === 'announce') {
      if (this.#chance.oneIn(2)) this.#journal(command.intents);
      else this.host.append(command.owned);
    }
    if (command.type === 'edit_sessions' && this.#chance.oneIn(2)) this.host.editSessions(command);
    if (command.type === 'collect' && this.#chance.oneIn(2)) this.#collect(command.session, command.entry);
    return null;
  }

  get #current(): Attempt {
    const attempt = this.attempts.at(-1);
    if (attempt === undefined) throw new Error('no attempt');
    return attempt;
  }

  #journal(events: readonly JournalEvent[]): void {
    const { records } = this.#current;
    const at = new Date(this.host.nowMs).toISOString();
    for (const event of events) records.push({ at, event });
  }

  async #perform(command: Command): Promise<Event> {
    const { host } = this;
    switch (command.type) {
      case 'journal':
        this.#journal(command.events);
        return { type: 'written', journal: command.events, ledger: [] };
      case 'ledger':
        host.append(command.events);
        return { type: 'written', journal: [], ledger: command.events };
      case 'announce':
        this.#journal(command.intents);
        host.append(command.owned);
        return { type: 'written', journal: command.intents, ledger: command.owned };
      case 'wait':
        host.nowMs += command.ms;
        host.moveWatchdog();
        return { type: 'done' };
      case 'look': {
        const complaint = { why: 'the target does not answer', changed: false };
        return {
          type: 'looked',
          snapshot: host.snapshot(),
          window: null,
          wanted: this.isWanted ? 'run pr' : null,
          answers: !this.#isAsked ? null : host.isDown ? [complaint] : [],
        };
      }
      case 'give_way':
        return this.#giveWay();
      case 'ask':
        this.#isAsked = true;
        return { type: 'done' };
      case 'collect':
        return this.#collect(command.session, command.entry);
      case 'prepare':
        return { type: 'prepared', sessions: await this.#prepare(command) };
      case 'write_contracts':
        for (const { id } of command.targets) host.contracts.add(id);
        return { type: 'done' };
      case 'edit_targets':
        host.editTargets(command.edit.add, command.edit.remove);
        return { type: 'done' };
      case 'edit_sessions':
        return { type: 'edited', command, edited: host.editSessions(command) };
      case 'find_damaged':
        return { type: 'damaged', targets: command.expected.filter(({ id }) => !host.targets.has(id)) };
      default:
        return this.#lookUp(command);
    }
  }

  /** Another run has the host: it sweeps, and its sessions run. */
  #giveWay(): Event {
    const { host } = this;
    const left = host.entries.filter(({ id }) => id.startsWith('rb-'));
    if (left.length > 0) throw new Error(`lent with ${left.length} of our entries in the queue`);
    const yieldedMs = 1000 * this.#chance.below(600);
    this.#sweep({ sessions: new Set(), cellTargets: new Set() });
    for (let moves = this.#chance.below(5); moves > 0; moves -= 1) host.live();
    host.nowMs += yieldedMs;
    this.isWanted = false;
    this.lent = { times: this.lent.times + 1, ms: this.lent.ms + yieldedMs };
    return { type: 'back', lent: { yieldedMs, refusal: null } };
  }

  async #prepare({ cells, known }: Extract<Command, { type: 'prepare' }>): Promise<NewSession[]> {
    const fresh: NewSession[] = [];
    for (const { position, used, target } of cells) {
      const isTaken = async (id: string) => known.has(id) || this.host.ran.some((ran) => ran.id === id);
      fresh.push({
        ...(await freshId(jobOf(this.#plan, this.attempts.length), { position, used }, isTaken)),
        position,
        target,
        relay: null,
      });
    }
    return fresh;
  }

  #lookUp(command: Command): Event {
    switch (command.type) {
      case 'diagnose':
        return { type: 'diagnosed', answer: null };
      case 'read_earlier': {
        const earlier = this.attempts.slice(0, -1);
        const attempts = earlier.map(({ records }, at) => ({ attempt: at + 1, tornBytes: 0, records }));
        return { type: 'earlier', attempts };
      }
      case 'copy_archive': {
        const { session } = command;
        const saved = this.#swept.get(session.sessionId);
        const kept =
          this.attempts.map(({ raw }) => raw.get(session.sessionId)).find((each) => each !== undefined) ??
          saved;
        if (kept !== undefined) this.#current.raw.set(session.sessionId, kept);
        return { type: 'copied', session, archive: kept ?? null };
      }
      case 'read_ledger':
        return { type: 'ledger_read', holdings: foldLedger(this.host.ledger) };
      case 'sweep':
        return this.#sweep(command.except);
      case 'look_back':
        return { type: 'rewritten', sessionIds: [] };
      case 'fence':
        throw new Error(`the host is fenced over ${command.entry.id}`);
      default:
        return { type: 'done' };
    }
  }

  /** As the sweep does it: evidence is saved, entries at rest go, and cell targets that nothing names any more. */
  #sweep({ sessions, cellTargets }: Extract<Command, { type: 'sweep' }>['except']): Event {
    const { host } = this;
    const held = foldLedger(host.ledger);
    const owned = [...held.sessions.values()].filter(({ sessionId }) => !sessions.has(sessionId));
    const before = host.snapshot();
    const remove = owned.map(({ sessionId: id }): Removal => {
      const entry = before.byId.get(id);
      if (entry?.status === 'pending') return { id, when: 'pending' };
      const outcome = host.ran.find((ran) => ran.id === id)?.outcome;
      if (entry !== undefined && outcome !== undefined) this.#swept.set(id, { body: entry.body(), outcome });
      return { id, when: 'idle' };
    });
    const edited = host.editSessions({
      type: 'edit_sessions',
      edit: { append: [], remove },
      purpose: { for: 'put_back' },
      timeoutMs: null,
      slowestTransitionMs: 0,
    });
    for (const { sessionId, runId } of owned) {
      const result = edited?.removals.get(sessionId);
      if (result === 'busy') continue;
      const maybeHeld = (before.byId.get(sessionId)?.status ?? 'pending') === 'pending';
      if (maybeHeld) host.append([{ type: 'withdrawn', runId, sessionId, documentBytes: before.bytes }]);
      else host.append([{ type: 'released', runId, sessionId, how: 'removed' }]);
    }
    const now = host.snapshot();
    const used = now.facts.targetsInUse();
    const idle = [...foldLedger(host.ledger).cellTargets.values()].filter(({ cellTarget, withdrawn }) => {
      if (cellTargets.has(cellTarget) || used.has(cellTarget)) return false;
      if (withdrawn === null) return true;
      const { at, documentBytes } = withdrawn;
      return hasLingered({ atMs: Date.parse(at), documentBytes }, now, host.nowMs);
    });
    host.editTargets(
      [],
      idle.map(({ cellTarget }) => cellTarget),
    );
    for (const { runId, cellTarget } of idle)
      host.append([{ type: 'cell_target_removed', runId, cellTarget }]);
    return { type: 'swept', sessions: 0, cellTargets: 0 };
  }

  #collect(session: SessionMemory, entry: QueueEntry | null): Collected {
    const { sessionId } = session;
    const { raw } = this.#current;
    const told = (events: readonly JournalEvent[], archive: Collected['archive']): Collected => {
      return { type: 'collected', session, entry, warnings: [], events, archive, otherPolicy: null };
    };
    const before = raw.get(sessionId);
    if (entry === null && before !== undefined)
      return told([collectedEvent(sessionId, before.outcome)], null);
    const ran = this.host.ran.find(({ id }) => id === sessionId);
    if (ran === undefined && (entry === null || entry.status === 'rejected'))
      return told([{ type: 'lost', sessionId, reason: 'it left nothing' }], null);
    const body = entry?.body() ?? null;
    const outcome = ran?.outcome ?? 'error';
    if (before === undefined) raw.set(sessionId, { body, outcome });
    const status = entry?.status ?? 'vanished';
    const terminal = { type: 'terminal', sessionId, status, updatedAt: null } as const;
    return told([terminal, collectedEvent(sessionId, outcome)], { body });
  }
}

const REFUSED = { errorCode: 'TARGET_CONNECTION', errorMessage: 'failed to connect: Connection refused' };
const NO_ERROR = { errorCode: null, errorMessage: null };

function collectedEvent(sessionId: string, outcome: 'success' | 'failure' | 'error'): JournalEvent {
  return {
    type: 'collected',
    sessionId,
    outcome,
    ...(outcome === 'error' ? REFUSED : NO_ERROR),
    files: [],
    omitted: [],
    startedAt: null,
    finishedAt: null,
    durationMs: null,
  };
}
