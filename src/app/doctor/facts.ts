import { stat } from 'node:fs/promises';
import * as path from 'node:path';
import type { TargetDescription } from '../../describe/description.ts';
import { RbError } from '../../errors/rb-error.ts';
import { qualificationStandings } from '../../job/authorize/standings.ts';
import { freeBytes } from '../../job/disk-problems.ts';
import type { Undescribed } from '../../job/prepare/discover.ts';
import { logSeconds } from '../../job/prepare/queue-checks.ts';
import { chooseSuites } from '../../plan/choose-suites.ts';
import type { RunnerFacts } from '../../platform/runner-facts.ts';
import type { Standing } from '../../qualification/standing.ts';
import { type HostStatus, hostStatus } from '../../queue/host-status.ts';
import { latestMove } from '../../queue/machine/snapshot.ts';
import { readSessionsText } from '../../queue/sessions-document.ts';
import { endpointText } from '../../report/view/endpoint.ts';
import type { Dialect, Reading } from '../../workspace/dialect.ts';
import type { CheckedPair, DoctorOptions, Examination } from './check-workspace.ts';
import type { Asked, Probes } from './probes.ts';

/** Nothing moved for so long although a session waits: a watchdog takes one within seconds. */
const SILENT_MS = 20_000;

/** A watchdog that moved a session so lately is taken to be there. */
const RECENT_MS = 60_000;

/** What a benchmark would find on this host; `doctor --json` prints it as it is. */
export interface DoctorFacts {
  /** Version of the runtime's documents; null when nothing tells, or signs contradict each other. */
  readonly dialect: Dialect | null;
  /** What tells the dialect, or contradicts itself about it. */
  readonly reading: Reading | null;
  /** The pair that would be benchmarked; null when none fits, or several do. */
  readonly target: string | null;
  readonly skillruntime: string | null;
  /** All pairs that fit; null when the registries cannot be read. */
  readonly possiblePairs: CheckedPair['possible'] | null;
  /** Suites that a run would take, and whether the user named them; null when nobody names one. */
  readonly suites: { readonly names: readonly string[]; readonly given: boolean } | null;
  readonly targetServer: Server<{
    readonly runtime: string | null;
    readonly suite: string | null;
    readonly tasks: number;
  }>;
  readonly policyServer: Server<{
    readonly kind: 'metadata' | 'dummy' | 'unknown';
    readonly digest: string | null;
    readonly metadata: Readonly<Record<string, unknown>>;
  }>;
  /** The newest of each suite, of the pair that would be benchmarked; empty without any. */
  readonly qualifications: readonly Standing[];
  readonly watchdog: WatchdogFacts | null;
  readonly lane: HostStatus['lane'] | null;
  /** Null when SESSIONS.md or the ledger cannot be read. */
  readonly queue: HostStatus['queue'] | null;
  /** The oldest GitHub Actions runner of this machine, null when none can be seen. */
  readonly runner: RunnerFacts | null;
  readonly disk: { readonly freeBytes: number | null };
  /** What LOG.md costs the runtime for each session; null while there is none. */
  readonly log: { readonly bytes: number; readonly secondsPerSession: number } | null;
}

type Server<Answer> = Asked<Answer> & { readonly endpoint: string | null };

/** Whether a watchdog runs shows only in what it does; one that has nothing to do leaves no trace. */
interface WatchdogFacts {
  /**
   * `working`: a session is at work. `recent`: one moved a moment ago. `silent`: sessions wait and nothing moves.
   * `unseen`: there is nothing to tell by.
   */
  readonly state: 'working' | 'recent' | 'silent' | 'unseen';
  /** Milliseconds since 1970 of the last transition in SESSIONS.md; null when nothing ever moved. */
  readonly lastMoveMs: number | null;
}

/** Puts together what was found and what the servers said. Reads files; changes nothing. */
export async function doctorFacts(
  workspace: string,
  { documents, pair }: Examination,
  probes: Probes,
  options: DoctorOptions,
): Promise<DoctorFacts> {
  const status = await statusOrNull(workspace, options.nowMs);
  const text = documents?.sessions.text ?? null;
  const written = await stat(path.join(workspace, 'SESSIONS.md')).catch(() => null);
  const log = documents?.log.text ?? null;
  const bytes = Buffer.byteLength(log ?? '');
  return {
    dialect: documents?.reading.dialect ?? null,
    reading: documents?.reading ?? null,
    target: pair?.chosen?.target.id ?? null,
    skillruntime: pair?.chosen?.skillruntime ?? null,
    possiblePairs: pair?.possible ?? null,
    suites: suitesOf(pair, options),
    ...serverFacts(pair, probes),
    qualifications: await standingsOfPair(workspace, pair),
    watchdog:
      status === null || text === null || written === null
        ? null
        : watchdogFacts(status, { text, writtenMs: written.mtimeMs }, options.nowMs),
    lane: status?.lane ?? null,
    queue: status?.queue ?? null,
    runner: options.runner,
    disk: { freeBytes: await freeBytes(workspace) },
    log: log === null ? null : { bytes, secondsPerSession: logSeconds(bytes) },
  };
}

async function standingsOfPair(workspace: string, pair: CheckedPair | null): Promise<Standing[]> {
  const chosen = pair?.chosen ?? null;
  if (chosen === null) return [];
  return qualificationStandings(workspace, { target: chosen.target.id, skillruntime: chosen.skillruntime });
}

function serverFacts(
  pair: CheckedPair | null,
  { target, policy }: Probes,
): Pick<DoctorFacts, 'targetServer' | 'policyServer'> {
  const { endpoints = null } = pair ?? {};
  return {
    targetServer: {
      endpoint: shown(endpoints?.target, 'target'),
      ...answered(target, targetAnswer),
    },
    policyServer: {
      endpoint: shown(endpoints?.policy, 'policy'),
      ...answered(policy, ({ kind, digest, metadata }) => ({ kind, digest, metadata })),
    },
  };
}

/** A target that cannot describe itself answers all the same. */
function targetAnswer(answer: TargetDescription | Undescribed): {
  runtime: string | null;
  suite: string | null;
  tasks: number;
} {
  if ('unavailable' in answer) return { runtime: null, suite: null, tasks: 0 };
  const { runtime, suite, tasks } = answer;
  return { runtime, suite, tasks: tasks.length };
}

function shown(endpoint: string | null | undefined, role: string): string | null {
  return endpoint === null || endpoint === undefined ? null : endpointText(endpoint, role, 'workspace');
}

function answered<From, To>(asked: Asked<From>, short: (answer: From) => To): Asked<To> {
  return asked.asked ? { ...asked, answer: asked.answer === null ? null : short(asked.answer) } : asked;
}

function suitesOf(pair: CheckedPair | null, options: DoctorOptions): DoctorFacts['suites'] {
  if (options.suites !== null) return { names: options.suites, given: true };
  const target = pair?.chosen?.target;
  const names = target === undefined ? [] : chooseSuites(null, target).suites;
  return names.length === 0 ? null : { names, given: false };
}

/** Null for a SESSIONS.md or ledger that cannot be read; its problem is told elsewhere. */
async function statusOrNull(workspace: string, nowMs: number): Promise<HostStatus | null> {
  try {
    return await hostStatus(workspace, nowMs);
  } catch (error) {
    if (error instanceof RbError) return null;
    throw error;
  }
}

function watchdogFacts(
  { queue }: HostStatus,
  sessions: { readonly text: string; readonly writtenMs: number },
  nowMs: number,
): WatchdogFacts {
  const lastMoveMs = latestMove(readSessionsText(sessions.text));
  if (queue.working !== null) return { state: 'working', lastMoveMs };
  if (lastMoveMs !== null && nowMs - lastMoveMs < RECENT_MS) return { state: 'recent', lastMoveMs };
  // Whoever queues a session writes the file, and so does the watchdog that takes it.
  const silent = queue.pending > 0 && nowMs - sessions.writtenMs > SILENT_MS;
  return { state: silent ? 'silent' : 'unseen', lastMoveMs };
}
