import { WhyNot } from '../../base/why-not.ts';
import { benchmarkOf } from '../../plan/suite-defaults.ts';
import type { BenchmarkBlock, FinishedSession } from './finished-session.ts';

/** Which episode a session ran. */
interface RanCell {
  readonly suite: string;
  readonly taskId: number;
  readonly initStateId: number;
  /**
   * `block`: the session left no evidence of it, and its entry asked for this cell. `target`: nor does the entry say it, and
   * its target is configured for this cell.
   */
  readonly by: 'evidence' | 'block' | 'target';
}

export interface AttributedSession extends FinishedSession {
  readonly cell: RanCell;
}

/** What TARGETS.md says now. */
export interface KnownTargets {
  readonly targets: ReadonlyMap<string, KnownTarget>;
  /** Why none is known; null when the document could be read. */
  readonly fault: string | null;
}

/** What TARGETS.md says about a target now. */
export interface KnownTarget {
  readonly isSimulation: boolean;
  /** Null unless suite, task and initial state all stand in its config: what is missing there is inherited. */
  readonly cell: Omit<RanCell, 'by'> | null;
  /** Null when its config names none. */
  readonly suite: string | null;
  readonly endpoint: string | null;
  /** Without what only says which episode. */
  readonly config: Readonly<Record<string, unknown>>;
  /** Equal for targets that differ in nothing but their episode: runtime, adapter, endpoint and the rest of the config. */
  readonly family: string;
}

/** A session of which nothing tells which episode it ran. */
export interface Unattributable {
  readonly session: FinishedSession;
  readonly reason: string;
}

export interface Attribution {
  readonly sessions: readonly AttributedSession[];
  readonly unattributable: readonly Unattributable[];
  /** Sessions of targets that are no simulation. */
  readonly otherKinds: readonly string[];
  /** Where evidence, target and prompt name different episodes; the evidence counts. */
  readonly disagreements: readonly { readonly sessionId: string; readonly message: string }[];
}

/**
 * Finds the episode of each session: what its evidence says ran, else what its `benchmark` block asked for, else what its
 * target is configured for. A target that
 * some evidence contradicts was changed between sessions, so that it tells nothing about its other sessions either; such
 * a session is listed and never guessed. Pure; keeps the order.
 * @param fault why no target is known; null when TARGETS.md could be read.
 */
export function attribute(
  sessions: readonly FinishedSession[],
  targets: ReadonlyMap<string, KnownTarget>,
  fault: KnownTargets['fault'] = null,
): Attribution {
  const known = { targets, fault };
  const simulated = sessions.filter(({ target }) => targets.get(target)?.isSimulation !== false);
  const changed = new Set<string>();
  const disagreements: { sessionId: string; message: string }[] = [];
  for (const session of simulated) {
    const { sessionId, target } = session;
    const byTarget = targetDisagreement(session, targets.get(target));
    if (byTarget !== null) changed.add(target);
    for (const message of [byTarget, blockDisagreement(session), promptDisagreement(session)]) {
      if (message !== null) disagreements.push({ sessionId, message });
    }
  }
  const found: AttributedSession[] = [];
  const unattributable: Unattributable[] = [];
  for (const session of simulated) {
    const cell = cellOf(session, known, changed.has(session.target));
    if (cell instanceof WhyNot) unattributable.push({ session, reason: cell.why });
    else found.push({ ...session, cell });
  }
  return {
    sessions: found,
    unattributable,
    otherKinds: sessions
      .filter(({ target }) => targets.get(target)?.isSimulation === false)
      .map(({ sessionId }) => sessionId),
    disagreements,
  };
}

/** The cell, or why it cannot be known. */
function cellOf(
  session: FinishedSession,
  { targets, fault }: KnownTargets,
  changed: boolean,
): RanCell | WhyNot {
  const ran = executedCell(session);
  if (ran !== null) return ran;
  const none = 'its evidence does not name task and initial state';
  if (session.block !== null)
    return blockCell(session.block) ?? new WhyNot(`${none}, and ${blockLack(session.block)}`);
  const target = targets.get(session.target);
  if (target === undefined) {
    const why =
      fault === null ? 'is not in TARGETS.md' : `cannot be looked up, since TARGETS.md is not read: ${fault}`;
    return new WhyNot(`${none}, and its target ${session.target} ${why}`);
  }
  if (target.cell === null) return new WhyNot(`${none}, and its target ${session.target} does not name them`);
  if (changed) return new WhyNot(`${none}, and its target ${session.target} was changed between sessions`);
  return { ...target.cell, by: 'target' };
}

/** The episode that the entry asked for; null when its block does not name all of it, or two benchmarks. */
function blockCell({ benchmark, suite, taskId, initStateId }: BenchmarkBlock): RanCell | null {
  if (suite === null || taskId === null || initStateId === null) return null;
  return isOfBenchmark(suite, benchmark) ? { suite, taskId, initStateId, by: 'block' } : null;
}

function isOfBenchmark(suite: string, benchmark: string | null): boolean {
  const known = benchmarkOf(suite);
  return benchmark === null || known === suite || known === benchmark;
}

function blockLack({ benchmark, suite, taskId, initStateId }: BenchmarkBlock): string {
  if (suite !== null && !isOfBenchmark(suite, benchmark))
    return `its benchmark block names ${benchmark ?? 'no benchmark'} and a suite of ${benchmarkOf(suite)}`;
  const lacks = [
    suite === null ? 'suite' : null,
    taskId === null ? 'task' : null,
    initStateId === null ? 'initial state' : null,
  ].filter((each) => each !== null);
  return `its benchmark block names no ${lacks.join(' and no ')}`;
}

function executedCell({ found: { executed } }: FinishedSession): RanCell | null {
  const { benchmark, taskId, initStateId } = executed ?? { benchmark: null, taskId: null, initStateId: null };
  if (benchmark === null || taskId === null || initStateId === null) return null;
  return taskId < 0 || initStateId < 0 ? null : { suite: benchmark, taskId, initStateId, by: 'evidence' };
}

function targetDisagreement(session: FinishedSession, target: KnownTarget | undefined): string | null {
  const ran = executedCell(session);
  // Where the entry itself asks for an episode, the target's own is not what ran.
  const configured = session.block === null ? (target?.cell ?? null) : null;
  if (ran === null || configured === null) return null;
  const parts = differences(configured, ran);
  return parts.length === 0 ? null : `target ${session.target} and evidence differ in ${parts.join(', ')}`;
}

function blockDisagreement(session: FinishedSession): string | null {
  const ran = executedCell(session);
  const asked = session.block === null ? null : blockCell(session.block);
  if (ran === null || asked === null) return null;
  const parts = differences(asked, ran);
  return parts.length === 0 ? null : `benchmark block and evidence differ in ${parts.join(', ')}`;
}

function differences(configured: Omit<RanCell, 'by'>, ran: RanCell): string[] {
  return [
    part('suite', configured.suite, ran.suite),
    part('task', configured.taskId, ran.taskId),
    part('initial state', configured.initStateId, ran.initStateId),
  ].filter((each) => each !== null);
}

/** The policy is told the session's text, the simulator knows its own; two tasks on one target differ only there. */
function promptDisagreement({ prompt, found: { executed } }: FinishedSession): string | null {
  const language = executed?.language ?? null;
  if (language === null || prompt === '' || plain(prompt) === plain(language)) return null;
  return `the policy was told ${quoted(prompt)}, the simulator ran ${quoted(language)}`;
}

function plain(text: string): string {
  return text.toLowerCase().replace(/\s+/g, ' ').trim();
}

function quoted(text: string): string {
  return JSON.stringify(text.slice(0, 200));
}

function part(what: string, configured: string | number, ran: string | number): string | null {
  return configured === ran ? null : `${what} (configured ${configured}, ran ${ran})`;
}
