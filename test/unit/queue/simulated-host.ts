import type { LedgerEvent, LedgerRecord } from '../../../src/lane/ledger.ts';
import { judgeRemoval } from '../../../src/queue/judge-removal.ts';
import type { EditSessions } from '../../../src/queue/machine/commands.ts';
import type { CellTarget, SessionsEdited } from '../../../src/queue/machine/edits.ts';
import {
  type QueueEntry,
  type QueueSnapshot,
  snapshotOf,
  standing,
} from '../../../src/queue/machine/snapshot.ts';
import { entry } from './queue-views.ts';

/** Numbers that a test draws from, again and again: below a bound each. */
export class Chance {
  readonly #numbers: readonly number[];
  #next = 0;

  constructor(numbers: readonly number[]) {
    this.#numbers = numbers;
  }

  below(bound: number): number {
    const number = this.#numbers[this.#next % this.#numbers.length] ?? 0;
    // Another walk through the same numbers must not repeat itself in step with whoever draws.
    const turn = Math.floor(this.#next / this.#numbers.length);
    this.#next += 1;
    return (number + turn * 7) % bound;
  }

  oneIn(bound: number): boolean {
    return this.below(bound) === 0;
  }
}

/** An entry of SESSIONS.md as it stands. */
export interface Standing {
  readonly id: string;
  readonly target: string;
  status: string;
  updatedMs: number | null;
  result: string | null;
}

/** What became of an entry of ours that a watchdog ran to its end. */
export interface Ran {
  readonly id: string;
  readonly target: string;
  readonly outcome: 'success' | 'failure' | 'error';
}

const isOurs = (id: string): boolean => id.startsWith('rb-');
const STATES = ['pending', 'claimed', 'preflight_checking', 'running'];

/**
 * SESSIONS.md, TARGETS.md, contracts and ledger of a host in memory, with a watchdog, colleagues, and servers that may be
 * down. It throws at any edit that breaks an invariant of the architecture page.
 */
export class SimulatedHost {
  nowMs = 1_700_000_000_000;
  entries: Standing[] = [];
  readonly targets = new Map<string, CellTarget>();
  readonly contracts = new Set<string>();
  readonly ledger: LedgerRecord[] = [];
  readonly ran: Ran[] = [];
  /** Everything that was ever put into the queue by us. */
  readonly queued: string[] = [];
  isDown = false;
  readonly #chance: Chance;
  readonly #window: number;
  /** When an entry that names a target was last taken out while it was pending. */
  readonly #withdrawnMs = new Map<string, number>();
  /** Entries whose watchdog was killed. */
  readonly #left = new Set<string>();
  /** Cell targets that somebody else took out, and nobody put back. */
  readonly #dropped = new Set<string>();
  #foreign = 0;

  constructor(chance: Chance, window: number) {
    this.#chance = chance;
    this.#window = window;
  }

  snapshot(): QueueSnapshot {
    return snapshotOf(this.entries.map(viewOf), { bytes: 1000 + this.entries.length, fault: null });
  }

  append(events: readonly LedgerEvent[]): void {
    const at = new Date(this.nowMs).toISOString();
    for (const event of events) this.ledger.push({ at, ...event });
  }

  /** Time passes, and others do what they do. */
  live(): void {
    this.nowMs += 1 + this.#chance.below(400);
    if (!this.#chance.oneIn(3)) this.moveWatchdog();
    if (this.#chance.oneIn(25)) this.#queueForeign();
    if (this.#chance.oneIn(40)) this.isDown = !this.isDown;
  }

  /** One transition of the watchdog. */
  moveWatchdog(): void {
    const atWork = this.entries.find(
      ({ id, status }) => standing(status) === 'active' && !this.#left.has(id),
    );
    const next = atWork ?? this.entries.find(({ status }) => status === 'pending');
    if (next === undefined) return;
    next.updatedMs = this.nowMs;
    const following = STATES[STATES.indexOf(next.status) + 1];
    if (following === undefined) {
      this.#end(next);
      return;
    }
    if (next.status === 'claimed' && isOurs(next.id) && !this.targets.has(next.target)) {
      next.status = 'rejected';
      next.result = `target not found: ${next.target}`;
      return;
    }
    next.status = following;
  }

  #end(session: Standing): void {
    const errors = isOurs(session.id) && this.isDown;
    const succeeds = !this.#chance.oneIn(4);
    const outcome = errors ? 'error' : succeeds ? 'success' : 'failure';
    session.status = outcome === 'success' ? 'succeeded' : 'failed';
    session.result = outcome;
    if (isOurs(session.id)) this.ran.push({ id: session.id, target: session.target, outcome });
  }

  #queueForeign(): void {
    this.#foreign += 1;
    const id = `theirs_${this.#foreign}`;
    const place = this.#chance.below(this.entries.length + 1);
    this.entries.splice(place, 0, { id, target: 'T', status: 'pending', updatedMs: null, result: null });
  }

  /** What colleagues should not do, and do. */
  interfere(): void {
    const pending = this.entries.filter(({ id, status }) => isOurs(id) && status === 'pending');
    const [first] = pending;
    switch (this.#chance.below(4)) {
      case 0:
        // An older TARGETS.md is saved over ours.
        for (const id of [...this.targets.keys()]) this.#dropped.add(id);
        this.targets.clear();
        break;
      case 1:
        if (first !== undefined) this.#withdrawnMs.set(first.target, this.nowMs);
        this.entries = this.entries.filter((each) => each !== first);
        break;
      case 2:
        // A watchdog was killed, and its successor goes on with the next session.
        this.#crashWatchdog();
        break;
      default:
        break;
    }
  }

  #crashWatchdog(): void {
    const left = this.entries.find(({ id, status }) => standing(status) === 'active' && !this.#left.has(id));
    if (left === undefined || !isOurs(left.id)) return;
    this.#left.add(left.id);
    this.nowMs += 1;
    const moved = { id: `theirs_after_${left.id}`, target: 'T', status: 'succeeded', result: 'success' };
    this.entries.push({ ...moved, updatedMs: this.nowMs });
  }

  editSessions({ edit, timeoutMs }: EditSessions): SessionsEdited | null {
    if (timeoutMs !== null && this.#chance.oneIn(6)) return null;
    // The editor waits until nobody is in preflight.
    for (let left = 10; left > 0 && this.#isChecking(); left -= 1) this.moveWatchdog();
    const before = this.snapshot();
    const foreign = this.#foreignNow();
    const removals = new Map(edit.remove.map((removal) => [removal.id, judgeRemoval(before, removal)]));
    for (const [id, result] of removals) if (result === 'removed') this.#remove(id);
    for (const added of edit.append) this.#put(String(added.session_id), String(added.target_ref));
    must(this.#foreignNow() === foreign, 'an entry of somebody else was changed');
    return { removals, bytes: before.bytes, waitedMs: 0 };
  }

  #isChecking(): boolean {
    return this.entries.some(({ status }) => status === 'preflight_checking');
  }

  #foreignNow(): string {
    return JSON.stringify(this.entries.filter(({ id }) => !isOurs(id)));
  }

  #remove(id: string): void {
    const gone = this.entries.find((each) => each.id === id);
    must(
      this.ledger.some((line) => line.type === 'own' && line.sessionId === id),
      `${id} is not ours by the ledger`,
    );
    if (gone?.status === 'pending') this.#withdrawnMs.set(gone.target, this.nowMs);
    this.entries = this.entries.filter((each) => each !== gone);
  }

  #put(id: string, targetRef: string): void {
    const target = targetRef.replace('target://', '');
    must(!this.queued.includes(id), `${id} is queued twice`);
    const isWritten = this.targets.has(target) || this.#dropped.has(target);
    must(isWritten && this.contracts.has(target), `${id} is queued before its target ${target}`);
    must(
      this.ledger.some((line) => line.type === 'own' && line.sessionId === id),
      `${id} is not in the ledger`,
    );
    const live = this.entries.filter((each) => isOurs(each.id) && standing(each.status) !== 'terminal');
    must(
      !live.some((each) => cellOf(each.id) === cellOf(id) && !this.#isLeft(each.id)),
      `${id} has a twin in the queue`,
    );
    const done = this.ran.find((each) => cellOf(each.id) === cellOf(id) && each.outcome !== 'error');
    must(done === undefined, `${id} runs the finished cell of ${done?.id} again`);
    this.queued.push(id);
    this.entries.push({ id, target, status: 'pending', updatedMs: null, result: null });
    const waiting = live.filter((each) => !this.#isLeft(each.id)).length + 1;
    must(waiting <= this.#window, `${waiting} sessions in a window of ${this.#window}`);
  }

  /** Is it certain that no watchdog is at it any more? */
  #isLeft(id: string): boolean {
    return this.snapshot()
      .facts.abandoned()
      .some((each) => each.id === id);
  }

  editTargets(add: readonly CellTarget[], remove: readonly string[]): void {
    const used = this.snapshot().facts.targetsInUse();
    for (const id of remove) {
      must(!used.has(id), `${id} is taken out under a live session`);
      const sinceMs = this.#withdrawnMs.get(id);
      const moved = this.snapshot().facts.latestMove() ?? 0;
      must(
        sinceMs === undefined || moved > sinceMs || this.nowMs - sinceMs > 10_000,
        `${id} is taken out while a watchdog may hold the old document`,
      );
      this.targets.delete(id);
    }
    for (const target of add) {
      must(this.contracts.has(target.id), `${target.id} comes before its contract`);
      this.targets.set(target.id, target);
      this.#dropped.delete(target.id);
    }
  }
}

function viewOf({ id, status, target, updatedMs, result }: Standing): QueueEntry {
  const body = { session_id: id, status, result, timeouts: { execute_timeout_s: 60 } };
  return entry(id, status, { target, updatedMs, body });
}

/** The id of a session without its attempt. */
export function cellOf(sessionId: string): string {
  return sessionId.replace(/-a\d+$/, '');
}

function must(holds: boolean, what: string): void {
  if (!holds) throw new Error(what);
}
