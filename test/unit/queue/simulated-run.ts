import { foldLedger } from '../../../src/lane/ledger.ts';
import type { JournalEvent, JournalRecord } from '../../../src/model/journal-events.ts';
import type { Plan } from '../../../src/model/plan.ts';
import { makePlan } from '../../../src/plan/make-plan.ts';
import { cellTargets } from '../../../src/queue/cell-target.ts';
import type { Collected, Command, Event } from '../../../src/queue/machine/commands.ts';
import { freshId, type NewSession } from '../../../src/queue/machine/entries.ts';
import { DEFAULT_QUEUE_SETTINGS, type ExecutionEnd, type Job } from '../../../src/queue/machine/job.ts';
import type { SessionMemory } from '../../../src/queue/machine/run-memory.ts';
import type { QueueEntry } from '../../../src/queue/machine/snapshot.ts';
import { beginning } from '../../../src/queue/machine/state.ts';
import { step } from '../../../src/queue/machine/step.ts';
import { type Chance, SimulatedHost } from './simulated-host.ts';

const BASE = { id: 'base', entry: { id: 'base', config: {} }, contract: { target_id: 'base' } };
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
  #isAsked = false;

  constructor(chance: Chance, plan: Plan) {
    this.#chance = chance;
    this.#plan = plan;
    this.host = new SimulatedHost(chance, WINDOW);
  }

  /**
   * One attempt; `between` happens after each command.
   * @param killedAfter so many commands, of which the last one may be done by half; null: it comes to its end.
   */
  async attempt(killedAfter: number | null, between: () => void): Promise<ExecutionEnd | null> {
    const job = this.#job();
    this.attempts.push({ records: [], raw: new Map() });
    let state = beginning(job, cellTargets(BASE, job.plan, job.positions), this.host.nowMs);
    let todo: readonly Command[] = [];
    let event: Event = { type: 'idle' };
    for (let count = 0; ; ) {
      const next = step(state, event, { ms: this.host.nowMs, interrupted: false });
      state = next.state;
      const [command, ...rest] = [...next.commands, ...todo];
      todo = rest;
      event = { type: 'idle' };
      if (command?.type === 'end') return command.end;
      if (command?.type === 'fail') throw command.error;
      if (command === undefined) continue;
      count += 1;
      if (count === killedAfter) return this.#halfway(command);
      if (count > 20_000) throw new Error('it comes to no end');
      between();
      event = await this.#perform(command);
    }
  }

  #job(): Job {
    const plan = this.#plan;
    const positions = plan.cells.map((_, position) => position);
    return {
      bundleDir: '/bundle',
      runId: 'sim',
      attempt: this.attempts.length + 1,
      plan,
      planDigest: 'digest',
      positions,
      endpoints: { target: null, policy: { candidate: 'openpi://h:1' } },
      settings: { ...DEFAULT_QUEUE_SETTINGS, queueWindow: WINDOW },
      identity: {},
      resume: this.attempts.map((_, index) => ({ attempt: index + 1, bundleDir: `/bundle-${index + 1}` })),
      lane: { waitedMs: 0, waitedFor: null },
      primer: null,
      caps: null,
      earlyStop: null,
    };
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
    for (const event of events) records.push({ seq: records.length, at, prev: '0'.repeat(64), event });
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
          answers: !this.#isAsked ? null : host.isDown ? [complaint] : [],
        };
      }
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

  async #prepare({ cells, known }: Extract<Command, { type: 'prepare' }>): Promise<NewSession[]> {
    const fresh: NewSession[] = [];
    for (const { position, used, target } of cells) {
      const isTaken = async (id: string) => known.has(id) || this.host.ran.some((ran) => ran.id === id);
      fresh.push({
        ...(await freshId(this.#job(), { position, used }, isTaken)),
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
        const kept = this.attempts
          .map(({ raw }) => raw.get(session.sessionId))
          .find((each) => each !== undefined);
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

  /** As the sweep does it: what the ledger alone knows was never queued. */
  #sweep({ sessions, cellTargets }: Extract<Command, { type: 'sweep' }>['except']): Event {
    const held = foldLedger(this.host.ledger);
    for (const { sessionId, runId } of held.sessions.values()) {
      if (sessions.has(sessionId)) continue;
      if (this.host.entries.some(({ id }) => id === sessionId))
        throw new Error(`${sessionId} is known to nobody`);
      this.host.append([{ type: 'released', runId, sessionId, how: 'removed' }]);
    }
    const idle = [...held.cellTargets.values()].filter(({ cellTarget }) => !cellTargets.has(cellTarget));
    this.host.editTargets(
      [],
      idle.map(({ cellTarget }) => cellTarget),
    );
    for (const { runId, cellTarget } of idle)
      this.host.append([{ type: 'cell_target_removed', runId, cellTarget }]);
    return { type: 'swept', sessions: 0, cellTargets: idle.length };
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
