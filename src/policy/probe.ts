import { WhyNot } from '../base/why-not.ts';
import { MessageFault, oneMessage } from '../describe/one-message.ts';
import { errorOf, RbError, refusal } from '../errors/rb-error.ts';
import type { Clock, Log } from '../platform/ports.ts';
import { parsePolicyEndpoint } from './endpoint.ts';
import { expectationMismatches, type PolicyExpectation } from './expectation.ts';
import { DUMMY_IDENTITY, type PolicyIdentity, readMetadata } from './metadata.ts';

interface ProbeOptions {
  /** From the accepted connection to the message. */
  readonly timeoutMs: number;
  /** Until the connection is accepted; left out: the same. */
  readonly connectTimeoutMs?: number;
  readonly signal?: AbortSignal;
}

/** Metadata is a few hundred bytes; a server may put a whole training config into it. */
const MAX_METADATA_BYTES = 1024 * 1024;

/**
 * Asks a policy server who it is: connects, reads the one message it sends, disconnects. `dummy://local` is answered
 * without a connection.
 * @throws RbError RB309, RB350 or RB351 (exit 3), or the signal's reason.
 */
export async function probePolicy(endpoint: string, options: ProbeOptions): Promise<PolicyIdentity> {
  const parsed = parsePolicyEndpoint(endpoint);
  const where = `policy at ${endpoint}`;
  if (!parsed.ok) {
    throw errorOf('RB309', {
      where: 'policy endpoint',
      message: `the endpoint ${parsed.why}.`,
      fix: 'Correct policy-endpoint.',
    });
  }
  if (parsed.kind === 'dummy') return DUMMY_IDENTITY;
  const message = await metadataMessage(parsed.url, where, options);
  const identity = readMetadata(message);
  if (!(identity instanceof WhyNot)) return identity;
  throw errorOf('RB351', {
    where,
    message: `${identity.why}.`,
    fix: 'Check that an OpenPI policy server listens there.',
  });
}

async function metadataMessage(url: string, where: string, options: ProbeOptions): Promise<Uint8Array> {
  try {
    return await oneMessage({
      url,
      send: null,
      connectTimeoutMs: options.connectTimeoutMs ?? options.timeoutMs,
      answerTimeoutMs: options.timeoutMs,
      maxBytes: MAX_METADATA_BYTES,
      ...(options.signal === undefined ? {} : { signal: options.signal }),
    });
  } catch (error) {
    if (!(error instanceof MessageFault)) throw error;
    const unreachable = error.kind === 'unreachable' || error.kind === 'connect timeout';
    throw refusal(
      {
        code: unreachable ? 'RB350' : 'RB351',
        where,
        message: `the policy ${unreachable ? 'cannot be reached' : 'did not send its metadata'}: ${error.message}.`,
        fix: cureOf(error, unreachable),
      },
      { cause: error },
    );
  }
}

function cureOf(fault: MessageFault, unreachable: boolean): string {
  if (unreachable) return 'Start the policy server, or correct policy-endpoint.';
  if (isTooLarge(fault))
    return `Send at most ${MAX_METADATA_BYTES / 1024} kB of metadata: name and checkpoint, and of large configs a hash.`;
  return 'Check that an OpenPI policy server listens there.';
}

interface WaitOptions extends ProbeOptions {
  /** How long to try again; 0: once. */
  readonly waitMs: number;
  readonly clock: Clock;
  readonly log: Log;
  /** Null: any policy will do. */
  readonly expect: PolicyExpectation | null;
}

/** Who waits is told again. */
const TELL_EVERY_MS = 60_000;
/** Between two tries. A policy server takes tens of seconds to load its checkpoint. */
const RETRY_MS = 2000;

/**
 * Waits until the policy sends its metadata, and compares it with what is expected. A wrong policy is not waited for.
 * @throws RbError RB350 or RB351 when the time is over, RB352 for another policy (exit 3).
 */
export async function waitForPolicy(endpoint: string, options: WaitOptions): Promise<PolicyIdentity> {
  const { clock, log } = options;
  const deadline = clock.now() + options.waitMs;
  let toldMs: number | null = null;
  for (;;) {
    try {
      const identity = await probePolicy(endpoint, options);
      requireExpected(endpoint, identity, options.expect);
      return identity;
    } catch (error) {
      if (!isWorthWaiting(error) || clock.now() + RETRY_MS > deadline) throw error;
      if (toldMs === null || clock.now() - toldMs >= TELL_EVERY_MS) {
        const left = Math.round((deadline - clock.now()) / 1000);
        log.info(`Waiting up to ${left} s for the policy at ${endpoint}: ${complaintOf(error)}`);
        toldMs = clock.now();
      }
    }
    await clock.sleep(RETRY_MS, options.signal);
    options.signal?.throwIfAborted();
  }
}

/** A server that is not there yet, or not ready; one whose metadata is too large will not shrink it by waiting. */
function isWorthWaiting(error: unknown): boolean {
  if (!(error instanceof RbError) || isTooLarge(error.cause)) return false;
  return error.problems.every(({ code }) => code === 'RB350' || code === 'RB351');
}

function complaintOf(error: unknown): string {
  return error instanceof RbError ? (error.problems[0]?.message ?? error.message) : String(error);
}

function isTooLarge(cause: unknown): boolean {
  return cause instanceof MessageFault && cause.kind === 'too large';
}

function requireExpected(endpoint: string, identity: PolicyIdentity, expect: PolicyExpectation | null): void {
  const wrong = expect === null ? [] : expectationMismatches(expect, identity);
  if (wrong.length === 0) return;
  throw errorOf('RB352', {
    where: `policy at ${endpoint}`,
    message: `this is not the expected policy: ${wrong.join('; ')}.`,
    fix: 'Start the policy that is meant, or correct expect-policy.',
  });
}

/**
 * Whether the policy before and after a run was the same, as far as its metadata tells; null when it has none.
 */
export function samePolicy(before: PolicyIdentity, after: PolicyIdentity): boolean | null {
  if (before.kind !== after.kind) return false;
  if (before.kind === 'dummy') return true;
  return before.digest === null || after.digest === null ? null : before.digest === after.digest;
}
