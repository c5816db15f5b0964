import { hostname } from 'node:os';
import { CannotDescribe, describeTarget } from '../../describe/client.ts';
import { errorOf, RbError } from '../../errors/rb-error.ts';
import { WatchdogCrash } from '../../host/python-error.ts';
import { ResultWriter } from '../../host/result-writer.ts';
import { ClaimBook } from '../../host/service/claim-book.ts';
import type { Described } from '../../host/service/descriptions.ts';
import type { ServiceEvent } from '../../host/service/events.ts';
import { QueueFile } from '../../host/service/queue-file.ts';
import { openRegistries, type Registries } from '../../host/service/registries.ts';
import { WatchdogService } from '../../host/service/service.ts';
import { Simulators, simulatorOf } from '../../host/service/simulators.ts';
import type { VerbContext } from '../../job/verb.ts';
import { hostFolder } from '../../lane/host-folder.ts';
import { readWatchdogRecord } from '../../lane/watchdog-record.ts';
import { VERSION } from '../../platform/version.ts';
import type { HostOptions } from './host-options.ts';

const CONNECT_MS = 10_000;
/** The file is written whole for each session: this many entries have 700 kB. */
const LOG_ENTRIES = 2_000;

interface ServiceRequest {
  /** Absolute. */
  readonly workspace: string;
  readonly options: HostOptions;
  readonly report: (event: ServiceEvent) => void;
}

/** Puts the service together and runs it. The lock of the host must be held. @returns why it stopped taking, or null. */
export async function runService(verb: VerbContext, request: ServiceRequest): Promise<string | null> {
  const { workspace, options, report } = request;
  const record = await readWatchdogRecord(workspace);
  if (record === 'unreadable') throw unreadable();
  const registries = openRegistries(workspace);
  refuseUnused(registries, options.endpoints);
  const startedAt = new Date(verb.clock.now()).toISOString();
  const about = { pid: process.pid, version: VERSION, startedAt, claims: record?.claims ?? [] };
  const noCancel = new AbortController().signal;
  const service: { running: WatchdogService | null } = { running: null };
  const simulators = new Simulators({
    groups: options.endpoints.length === 0 ? [] : [options.endpoints],
    describe: (endpoint) => described(endpoint, options.rpcTimeoutMs, verb.signal),
    now: () => verb.clock.now(),
    onChange: () => service.running?.wake(),
    onRefused: (endpoint, reason) => report({ event: 'simulator', endpoint, reason }),
  });
  service.running = new WatchdogService({
    workspace,
    claimedBy: `rollout-bench-host@${hostname()}`,
    queue: new QueueFile(workspace),
    registries,
    writer: new ResultWriter(workspace, 'august', true, {
      most: LOG_ENTRIES,
      folder: hostFolder(workspace).watchdogLogs,
    }),
    simulators,
    book: new ClaimBook(workspace, about),
    report,
    rpcTimeoutMs: options.rpcTimeoutMs,
    once: options.once,
    stop: verb.signal,
    cancel: verb.secondSignal?.() ?? noCancel,
  });
  return service.running.run();
}

/** Simulators that no target names would be waited for in vain. A document that cannot be read now tells of none. */
function refuseUnused({ targets }: Registries, endpoints: readonly string[]): void {
  if (endpoints.length === 0) return;
  try {
    targets.refresh();
  } catch (error) {
    if (error instanceof WatchdogCrash) return;
    throw error;
  }
  const named = new Set(endpoints.map(simulatorOf));
  const own = targets.entries().map(({ runtime }) => simulatorOf(runtime.target_endpoint ?? ''));
  if (own.some((each) => named.has(each))) return;
  throw errorOf('RB963', {
    where: 'option --target-endpoints',
    message: 'no target in TARGETS.md has one of these endpoints.',
    value: endpoints.join(','),
    fix: 'Name the endpoint of a target among them; its sessions then go to all of them.',
  });
}

function unreadable(): RbError {
  return errorOf('RB966', {
    where: 'artifacts/rollout-bench/.host/watchdog.json',
    message: 'the record of an earlier host cannot be read, so nobody knows what it left at work.',
    fix: 'End its entries in SESSIONS.md by hand, then take the file away.',
  });
}

async function described(endpoint: string, answerTimeoutMs: number, signal: AbortSignal): Promise<Described> {
  try {
    const description = await describeTarget(endpoint, {
      connectTimeoutMs: CONNECT_MS,
      answerTimeoutMs,
      signal,
    });
    return { kind: 'described', description };
  } catch (error) {
    if (!(error instanceof RbError)) return { kind: 'silent', why: String(error) };
    if (error.cause instanceof CannotDescribe) return { kind: 'mute' };
    return { kind: 'silent', why: error.problems[0]?.message ?? error.message };
  }
}
