import { describeTarget } from '../../target/client.ts';

const PROBE_TIMEOUT_MS = 30_000;

/** Does the target answer? `null` is yes, also for a target inside the runtime, which has nothing to ask. */
export async function targetAnswers(endpoint: string | null, signal: AbortSignal): Promise<string | null> {
  if (endpoint === null) return null;
  try {
    await describeTarget(endpoint, {
      connectTimeoutMs: PROBE_TIMEOUT_MS,
      answerTimeoutMs: PROBE_TIMEOUT_MS,
      signal,
    });
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
