import type { Classified, ExecutedCell } from './classified.ts';
import type { EpisodeSummary } from './evidence-schema.ts';
import type { Facts } from './facts.ts';

/** What the simulator said about the episode, with the place it was read and every contradiction between places. */
export interface SimulatorAccount {
  readonly success: boolean | null;
  readonly source: Classified['successSource'];
  readonly done: boolean | null;
  readonly steps: number | null;
  readonly episodeReturn: number | null;
  readonly policyLatencyMs: number | null;
  readonly policyCalls: number | null;
  readonly executed: ExecutedCell | null;
  /** The session was one job over many episodes (typed dialect). */
  readonly targetNative: boolean;
  readonly conflicts: readonly string[];
  readonly notes: readonly string[];
}

/** Places of the simulator's account in falling order of trust. */
interface Places {
  readonly benchmark: EpisodeSummary | null;
  readonly summary: EpisodeSummary | null;
  readonly libero: EpisodeSummary | null;
  readonly finalSuccess: boolean | null;
  readonly finalDone: boolean | null;
  readonly finalSteps: number | null;
}

/**
 * Reads episode.json `benchmark`, then the session's `result.metadata.final_status`, then `result.success`.
 * A value in one place that contradicts another is a conflict; nothing is picked then.
 */
export function readSimulator(facts: Facts): SimulatorAccount {
  const places = findPlaces(facts);
  const targetNative = isTargetNative(facts, places);
  const chosen = chooseSuccess(facts, places, targetNative);
  const metadata = facts.session?.result?.metadata ?? facts.episode?.metadata ?? null;
  const accounts = [places.benchmark, places.summary];
  return {
    ...chosen,
    done: firstOf(accounts, 'done') ?? places.finalDone,
    steps: firstOf(accounts, 'target_step_index') ?? places.finalSteps ?? plainSteps(facts, targetNative),
    // result.return_value holds the last chunk only, so it is never read.
    episodeReturn: firstOf(accounts, 'total_reward') ?? metadata?.return_value ?? null,
    policyLatencyMs: latency(facts, metadata?.mean_policy_latency_ms ?? null),
    policyCalls: firstOf(accounts, 'num_action_chunks'),
    executed: executedCell(places),
    targetNative,
    conflicts: conflictsOf(facts, places, targetNative),
    notes: facts.verified ? ['a verifier was active: only the simulator was believed'] : [],
  };
}

function findPlaces(facts: Facts): Places {
  const status =
    facts.session?.result?.metadata?.final_status ?? facts.episode?.metadata?.final_status ?? null;
  return {
    benchmark: facts.episode?.benchmark ?? null,
    summary: status?.episode_summary ?? null,
    libero: status?.libero ?? null,
    finalSuccess: status?.success ?? null,
    finalDone: status?.done ?? null,
    finalSteps: status?.target_step_index ?? null,
  };
}

function isTargetNative(facts: Facts, places: Places): boolean {
  const metadata = facts.session?.result?.metadata ?? facts.episode?.metadata ?? null;
  if (isMap(metadata?.benchmark_result) || isMap(metadata?.benchmark_summary)) return true;
  return (
    places.benchmark !== null &&
    (places.benchmark.total_episodes !== null || places.benchmark.suite_id !== null)
  );
}

function isMap(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}

function chooseSuccess(
  facts: Facts,
  places: Places,
  targetNative: boolean,
): Pick<SimulatorAccount, 'success' | 'source'> {
  if (targetNative) return { success: null, source: null };
  if (places.benchmark?.success != null)
    return { success: places.benchmark.success, source: 'episode.benchmark' };
  const final = places.summary?.success ?? places.finalSuccess;
  if (final !== null) return { success: final, source: 'session.final_status' };
  // With a verifier the session's flag is the verifier's opinion, which is not an episode's outcome.
  const flag = facts.verified || facts.status === 'failed' ? null : (facts.session?.result?.success ?? null);
  return flag === null ? { success: null, source: null } : { success: flag, source: 'session.result' };
}

function plainSteps(facts: Facts, targetNative: boolean): number | null {
  if (targetNative) return null;
  return facts.session?.result?.num_steps ?? facts.episode?.num_steps ?? facts.log?.num_steps ?? null;
}

function latency(facts: Facts, fromMetadata: number | null): number | null {
  return (
    facts.episode?.policy_latency_ms?.mean ??
    facts.session?.result?.mean_policy_latency_ms ??
    fromMetadata ??
    facts.log?.mean_policy_latency_ms ??
    null
  );
}

function firstOf<K extends 'done' | 'target_step_index' | 'total_reward' | 'num_action_chunks'>(
  accounts: readonly (EpisodeSummary | null)[],
  key: K,
): EpisodeSummary[K] | null {
  for (const account of accounts) {
    const value = account?.[key] ?? null;
    if (value !== null) return value;
  }
  return null;
}

function executedCell(places: Places): ExecutedCell | null {
  const account = [places.benchmark, places.summary, places.libero].find(hasCell) ?? places.benchmark;
  if (account === null) return null;
  return {
    benchmark: account.benchmark_name,
    taskId: account.task_id,
    initStateId: account.init_state_id,
    language: account.task_description,
  };
}

function hasCell(account: EpisodeSummary | null): account is EpisodeSummary {
  return account !== null && account.task_id !== null && account.init_state_id !== null;
}

const COMPARED = ['benchmark_name', 'task_id', 'init_state_id', 'task_description', 'success'] as const;

function conflictsOf(facts: Facts, places: Places, targetNative: boolean): readonly string[] {
  if (targetNative || facts.retriedByRuntime) return [];
  const found: string[] = [];
  const accounts: readonly (readonly [string, EpisodeSummary | null])[] = [
    ['episode.json benchmark', places.benchmark],
    ['final_status.episode_summary', places.summary],
    ['final_status.libero', places.libero],
  ];
  for (const key of COMPARED) {
    const values = accounts.flatMap(([name, account]) => entry(name, account?.[key] ?? null));
    if (key === 'success') values.push(...plainFlags(facts, places));
    const different = values.find(([, value]) => value !== values[0]?.[1]);
    if (different !== undefined && values[0] !== undefined) {
      found.push(`${key}: ${values[0][0]} says ${values[0][1]}, ${different[0]} says ${different[1]}`);
    }
  }
  return found;
}

type Said = readonly [string, string | number | boolean];

function entry(name: string, value: string | number | boolean | null): Said[] {
  return value === null ? [] : [[name, value]];
}

/**
 * Flags beside the accounts. The session's, LOG.md's and episode.json's own flags only count when they are meant as
 * the episode's result: not for faults (always false there) and not under a verifier.
 */
function plainFlags(facts: Facts, places: Places): Said[] {
  const said = entry('final_status.success', places.finalSuccess);
  const faulty = facts.errorCode !== null && facts.errorCode !== 'MAX_STEPS_EXCEEDED';
  if (facts.verified || faulty || facts.status === 'timed_out') return said;
  said.push(...entry('SESSIONS.md result.success', facts.session?.result?.success ?? null));
  said.push(...entry('LOG.md success', facts.log?.success ?? null));
  said.push(...entry('episode.json success', facts.episode?.success ?? null));
  return said;
}
