import { setTimeout as sleep } from 'node:timers/promises';
import { WhyNot } from '../base/why-not.ts';
import { errorOf, type Problem, type RbError, refusal } from '../errors/rb-error.ts';
import { readDescription, type TargetDescription } from './description.ts';
import { parseTargetEndpoint } from './endpoint.ts';
import { type Answer, encodeRequest, type RpcRequest, readAnswer } from './envelope.ts';
import { MessageFault, type MessageFaultKind, oneMessage } from './one-message.ts';

/** Cause of an RB322: the server answers, but does not know `target.describe`. */
export class CannotDescribe extends Error {}

interface DescribeOptions {
  /** Until the connection is accepted; a server accepts whatever it is busy with. */
  readonly connectTimeoutMs: number;
  /** From then on. A describe builds the simulator if none is open, and waits for a reset or a chunk that is executed. */
  readonly answerTimeoutMs: number;
  readonly targetId?: string;
  readonly signal?: AbortSignal;
}

/** A description of ten tasks has 4 kB, of 130 tasks about 50 kB. */
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;

/**
 * Asks a target to describe itself: connect, `target.describe`, one answer, close. Nothing else is ever sent, because
 * all clients share one simulator: a hello is an error there, a configure or close would change or end the session
 * that is running.
 * @throws RbError RB309, RB320 to RB326 (exit 3), or the signal's reason.
 */
export async function describeTarget(endpoint: string, options: DescribeOptions): Promise<TargetDescription> {
  const parsed = parseTargetEndpoint(endpoint);
  if (!parsed.ok) {
    throw errorOf('RB309', {
      where: 'target endpoint',
      message: `the endpoint ${parsed.why}.`,
      fix: 'Correct it in TARGETS.md.',
    });
  }
  const where = `target at ${endpoint}`;
  const until = Date.now() + options.answerTimeoutMs;
  for (;;) {
    const request: RpcRequest = {
      type: 'target.describe',
      targetId: options.targetId ?? null,
      seq: 1,
      timestampNs: BigInt(Date.now()) * 1_000_000n,
      payload: {},
    };
    const message = await ask(parsed.url, where, request, options);
    const description = descriptionOf(readAnswer(message, request), where);
    // One that is busy with an episode knows its tasks all the same.
    if (description.busy !== true || description.tasks.length > 0) return description;
    if (Date.now() + BUSY_POLL_MS >= until) throw stillBusy(where, options.answerTimeoutMs);
    await sleep(BUSY_POLL_MS, undefined, options.signal === undefined ? {} : { signal: options.signal });
  }
}

/** How often a target that builds its simulator, and says so, is asked again. */
const BUSY_POLL_MS = 500;

function stillBusy(where: string, waitedMs: number): RbError {
  return refusal({
    code: 'RB321',
    where,
    message: `it says that it is busy, and did not describe itself within ${waitedMs / 1000} s.`,
    fix: 'Wait until its simulator is built, or look at the log of the target server.',
  });
}

async function ask(
  url: string,
  where: string,
  request: RpcRequest,
  options: DescribeOptions,
): Promise<Uint8Array> {
  try {
    return await oneMessage({
      url,
      send: encodeRequest(request),
      connectTimeoutMs: options.connectTimeoutMs,
      answerTimeoutMs: options.answerTimeoutMs,
      maxBytes: MAX_ANSWER_BYTES,
      ...(options.signal === undefined ? {} : { signal: options.signal }),
    });
  } catch (error) {
    if (!(error instanceof MessageFault)) throw error;
    const [code, fix] = FAULTS[error.kind];
    throw refusal({ code, where, message: `describe failed: ${error.message}.`, fix }, { cause: error });
  }
}

const FAULTS: Readonly<Record<MessageFaultKind, readonly [Problem['code'], string]>> = {
  unreachable: [
    'RB320',
    'Start the target server, or correct its endpoint: target-endpoint where it was given, else TARGETS.md.',
  ],
  'connect timeout': [
    'RB320',
    'Check the endpoint (target-endpoint where it was given, else TARGETS.md), the host and its firewall.',
  ],
  'answer timeout': [
    'RB321',
    'Look at the log of the target server and at its GPU; building the simulator may hang.',
  ],
  closed: ['RB323', 'Look at the log of the target server; it may have crashed.'],
  'not a websocket': ['RB324', 'Check the endpoint: something else listens there.'],
  text: ['RB324', 'Check the endpoint: the peer is no TargetWS server.'],
  'too large': ['RB326', 'Check the endpoint: a description has a few kilobytes.'],
};

function descriptionOf(answer: Answer, where: string): TargetDescription {
  if (answer.kind === 'error') throw faulty(answer, where);
  if (answer.kind === 'mismatch') {
    throw errorOf('RB325', {
      where,
      message: `the answer belongs to another request: ${answer.why}.`,
      fix: 'Check that one server listens there and that it speaks this protocol version.',
    });
  }
  const description = answer.kind === 'garbage' ? new WhyNot(answer.why) : readDescription(answer.payload);
  if (!(description instanceof WhyNot)) return description;
  throw errorOf('RB324', {
    where,
    message: `the answer is not a description: ${description.why}.`,
    fix: 'Check that the endpoint is that of a TargetWS server of a supported version.',
  });
}

function faulty({ code, message }: Extract<Answer, { kind: 'error' }>, where: string): RbError {
  return errorOf(
    'RB322',
    {
      where,
      message: `describe was answered with ${code}: ${message}.`,
      fix: 'Look at the log of the target server. A bad task id left by an earlier session also causes this; any session with a good one cures it.',
    },
    isUnsupported(code, message) ? { cause: new CannotDescribe(message) } : undefined,
  );
}

/** Codes by which servers say that they do not know a message: Python's exceptions, JSON-RPC's words, constants. */
const CODE =
  /not_?implemented|(?:unsupported|unknown|invalid|unhandled)_?(?:target_?)?(?:rpc|message|request|method|command)|(?:method|handler)_?not_?(?:found|supported)|no_?such_?(?:method|command)/i;

const NOT_KNOWN = String.raw`\b(?:un(?:supported|known|handled|recogni[sz]ed|implemented|expected)|no (?:such|handler for))\b`;
const AFTERWARDS = String.raw`(?:not (?:a |an )?(?:supported|known|handled|recogni[sz]ed|implemented|found|valid|allowed)|un(?:supported|known|handled|recogni[sz]ed|implemented))\b`;
const KIND = String.raw`(?:rpc|message|request|method|command)s?\b(?:[ _-](?:type|kind|name))?`;
const OURS = String.raw`['"\x60]?(?:target\.)?describe\b['"\x60]?`;

/** "unsupported target RPC type", "method not found", "invalid type: target.describe", "'describe' is not supported" … */
const SENTENCES: readonly RegExp[] = [
  new RegExp(String.raw`${NOT_KNOWN}\s+(?:[\w-]+\s+){0,2}${KIND}`, 'i'),
  /\binvalid\s+(?:[\w-]+\s+){0,2}(?:rpc|message|request|method|command)[ _-](?:type|kind|name)\b/i,
  new RegExp(String.raw`\b${KIND}\s*(?:${OURS}\s*)?(?:is\s+|are\s+)?${AFTERWARDS}`, 'i'),
  new RegExp(String.raw`(?:${NOT_KNOWN}|\binvalid\b)[^.;]{0,24}${OURS}`, 'i'),
  new RegExp(String.raw`${OURS}\s*(?:is\s+|:\s*)?${AFTERWARDS}`, 'i'),
  // A dictionary or an enumeration of message types that lacks ours.
  new RegExp(`^${OURS}$`, 'i'),
  new RegExp(String.raw`\binput should be\b.*${OURS}`, 'i'),
];

/**
 * Does an error answer to `target.describe` mean that the server does not know this message? There is no fixed code for it:
 * servers say it in their own words. A fault while describing (a missing suite, no GPU) is something else.
 */
export function isUnsupported(code: string, message: string): boolean {
  return CODE.test(code) || SENTENCES.some((sentence) => sentence.test(message.trim()));
}
