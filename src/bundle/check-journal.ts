import type { JournalReading } from '../journal/chain.ts';
import type { JournalEvent } from '../model/journal-events.ts';
import { cellKey, type Plan } from '../model/plan.ts';
import type { RunFacts } from '../model/run-facts.ts';
import { type Difference, journalDifference } from './difference.ts';

/**
 * The journal by itself and against the plan: an unbroken chain, no half line, and events in an order in which they can
 * have happened. A chain of hashes can be made anew by anybody; what it tells must still be possible. Pure.
 */
export function journalFaults(
  journal: JournalReading,
  plan: Plan,
  run: Pick<RunFacts, 'runId' | 'attempt'>,
): Difference[] {
  const check = new OrderCheck(plan, run);
  for (const { event } of journal.records) check.see(event);
  return check.faults(journal);
}

/** Steps of a session that happen once each, and only in this order. */
const STEPS = ['queued', 'terminal', 'collected'] as const;
type Step = (typeof STEPS)[number];

function isStep(type: string): type is Step {
  return STEPS.some((step) => step === type);
}

/** What is only told of a session that was announced before. */
const AFTER_OPENING: ReadonlySet<string> = new Set([...STEPS, 'running', 'removed', 'lost', 'cancelled']);

/** Messages of one check; a forged journal may have a fault in every line. */
const MAX_FAULTS = 20;

/** The same while the journal is read. */
export class OrderCheck {
  readonly #plan: Plan;
  readonly #run: Pick<RunFacts, 'runId' | 'attempt'>;
  readonly #faults: string[] = [];
  /** How far each session came: an index of STEPS, -1 when it was announced. */
  readonly #reached = new Map<string, number>();
  readonly #tries = new Set<string>();
  #count = 0;
  /** Collected sessions whose episode nothing tells. */
  #nameless = 0;
  #ended = false;

  constructor(plan: Plan, run: Pick<RunFacts, 'runId' | 'attempt'>) {
    this.#plan = plan;
    this.#run = run;
  }

  see(event: JournalEvent): void {
    this.#count += 1;
    if (this.#ended) this.#fault(`line ${this.#count} (${event.type}) comes after the end`);
    if ((this.#count === 1) !== (event.type === 'started'))
      this.#fault(`line ${this.#count} is ${event.type}; a journal begins with started, and only once`);
    if (event.type === 'started') this.#begin(event);
    if (event.type === 'ended') this.#ended = true;
    if (event.type === 'intent' || event.type === 'adopted') this.#open(event);
    else if (event.type === 'unattributed') this.#openNameless(event.sessionId);
    else if ('sessionId' in event) this.#step(event.type, event.sessionId);
  }

  faults({ fault, tornBytes }: Pick<JournalReading, 'fault' | 'tornBytes'>): Difference[] {
    const faults: Difference[] = [];
    if (fault !== null) faults.push(journalDifference(`the chain is broken: ${fault}`));
    if (tornBytes > 0) faults.push(journalDifference('its last line is cut off'));
    return [...faults, ...this.#end().map(journalDifference)];
  }

  #end(): readonly string[] {
    if (this.#count === 0) this.#fault('it is empty');
    const { unattributed = 0 } = this.#plan;
    if (unattributed !== this.#nameless)
      this.#fault(
        `it has ${this.#nameless} sessions of unknown episode, but the plan counts ${unattributed}`,
      );
    return this.#faults;
  }

  #begin({ runId, attempt, suite }: Extract<JournalEvent, { type: 'started' }>): void {
    const { runId: named, attempt: number } = this.#run;
    if (runId !== named || attempt !== number)
      this.#fault(`it is of ${runId}, attempt ${attempt}, but run.json is of ${named}, attempt ${number}`);
    if (suite !== this.#plan.suite)
      this.#fault(`it is of suite ${suite}, but the plan is of ${this.#plan.suite}`);
  }

  #open(event: Extract<JournalEvent, { type: 'intent' | 'adopted' }>): void {
    const { sessionId, position, sessionAttempt } = event;
    if (this.#reached.has(sessionId)) this.#fault(`session ${sessionId} is announced twice`);
    this.#reached.set(sessionId, -1);
    const cell = this.#plan.cells[position];
    if (cell === undefined) {
      this.#fault(`session ${sessionId} is for cell ${position}, which the plan does not have`);
      return;
    }
    if (event.type === 'intent' && cellKey(cell) !== cellKey(event.cell))
      this.#fault(
        `session ${sessionId} is for ${cellKey(event.cell)}, but cell ${position} of the plan is ${cellKey(cell)}`,
      );
    const attempt = `${position} ${sessionAttempt}`;
    if (this.#tries.has(attempt))
      this.#fault(`cell ${cellKey(cell)} has two sessions of try ${sessionAttempt}`);
    this.#tries.add(attempt);
  }

  #openNameless(sessionId: string): void {
    this.#nameless += 1;
    if (this.#reached.has(sessionId)) this.#fault(`session ${sessionId} is announced twice`);
    this.#reached.set(sessionId, -1);
  }

  #step(type: JournalEvent['type'], sessionId: string): void {
    const reached = this.#reached.get(sessionId);
    if (reached === undefined) {
      if (AFTER_OPENING.has(type)) this.#fault(`session ${sessionId} is ${type} before it is announced`);
      return;
    }
    if (type === 'running' && reached >= STEPS.indexOf('terminal'))
      this.#fault(`session ${sessionId} is running after its end`);
    if (!isStep(type)) return;
    const step = STEPS.indexOf(type);
    if (step === reached) this.#fault(`session ${sessionId} is ${type} twice`);
    else if (step < reached) this.#fault(`session ${sessionId} is ${type} after it was ${STEPS[reached]}`);
    this.#reached.set(sessionId, Math.max(step, reached));
  }

  #fault(message: string): void {
    if (this.#faults.length < MAX_FAULTS) this.#faults.push(message);
  }
}
