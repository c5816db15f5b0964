import { sha256Of } from '../base/sha256.ts';
import { WhyNot } from '../base/why-not.ts';
import {
  LISTED_EVENTS,
  LISTED_LATENCIES,
  type PolicyRecording,
  RECORDING_SCHEMA_ID,
  type Side,
} from '../model/policy-recording.ts';
import { mean, percentile } from '../stats/summaries.ts';
import { type PolicyIdentity, readMetadata } from './metadata.ts';
import { samePolicy } from './probe.ts';

/** Latencies that enter the statistics; no episode asks so often. */
const MEASURED_LATENCIES = 100_000;
const NO_LINK = '0'.repeat(64);
const REASON_LENGTH = 200;

/** One connection of the runtime, from the record's point of view. */
interface WireConnection {
  /** Milliseconds at which the requests without an answer came, oldest first. */
  readonly waiting: number[];
  hasMetadata: boolean;
}

/** A message as it came in: when, in milliseconds of a steady clock, and of which kind. */
export interface Arrival {
  readonly isText: boolean;
  readonly nowMs: number;
}

/** Counts and hashes what passes between the runtime and one session's policy. Keeps nothing of the messages. */
export class WireRecord {
  readonly #sessionId: string;
  readonly #before: PolicyIdentity;
  readonly #latencies: number[] = [];
  readonly #closes: { by: Side; code: number }[] = [];
  readonly #faults: { at: Side; reason: string }[] = [];
  #connections = 0;
  #metadata: PolicyRecording['metadata'] = null;
  #calls = 0;
  #answers = 0;
  #textAnswers = 0;
  #requestBytes = 0;
  #answerBytes = 0;
  #chain = NO_LINK;

  /** @param before who the policy said it was before the run. */
  constructor(sessionId: string, before: PolicyIdentity) {
    this.#sessionId = sessionId;
    this.#before = before;
  }

  connected(): WireConnection {
    this.#connections += 1;
    return { waiting: [], hasMetadata: false };
  }

  request(connection: WireConnection, message: Uint8Array, nowMs: number): void {
    this.#calls += 1;
    this.#requestBytes += message.byteLength;
    connection.waiting.push(nowMs);
    this.#link('>', message);
  }

  /** A message of the policy: its metadata when it is the connection's first and nothing was asked, else an answer. */
  answer(connection: WireConnection, message: Uint8Array, at: Arrival): void {
    this.#link('<', message);
    if (!connection.hasMetadata && connection.waiting.length === 0) {
      connection.hasMetadata = true;
      if (at.isText) this.fault('policy', 'its metadata is a text message');
      else this.#identify(message);
      return;
    }
    this.#answers += 1;
    this.#answerBytes += message.byteLength;
    if (at.isText) this.#textAnswers += 1;
    const askedMs = connection.waiting.shift();
    if (askedMs !== undefined && this.#latencies.length < MEASURED_LATENCIES)
      this.#latencies.push(Math.max(0, at.nowMs - askedMs));
  }

  closed(by: Side, code: number): void {
    if (this.#closes.length < LISTED_EVENTS) this.#closes.push({ by, code });
  }

  fault(at: Side, reason: string): void {
    if (this.#faults.length < LISTED_EVENTS)
      this.#faults.push({ at, reason: reason.slice(0, REASON_LENGTH) });
  }

  /** What was seen so far. */
  recording(): PolicyRecording {
    return {
      schema: RECORDING_SCHEMA_ID,
      sessionId: this.#sessionId,
      connections: this.#connections,
      metadata: this.#metadata,
      calls: this.#calls,
      answers: this.#answers,
      textAnswers: this.#textAnswers,
      requestBytes: this.#requestBytes,
      answerBytes: this.#answerBytes,
      latencyMs: latencyOf(this.#latencies),
      latenciesMs: this.#latencies.slice(0, LISTED_LATENCIES).map(microseconds),
      chain: this.#chain,
      closes: [...this.#closes],
      faults: [...this.#faults],
    };
  }

  #identify(message: Uint8Array): void {
    const identity = readMetadata(message);
    if (identity instanceof WhyNot) {
      this.fault('policy', identity.why);
      return;
    }
    const same = samePolicy(this.#before, identity);
    const known = this.#metadata?.sameAsBefore ?? null;
    this.#metadata = {
      sha256: sha256Of(message),
      digest: identity.digest,
      sameAsBefore: known === false ? false : same,
    };
  }

  #link(direction: '<' | '>', message: Uint8Array): void {
    this.#chain = sha256Of(`${this.#chain}${direction}${sha256Of(message)}`);
  }
}

function latencyOf(latencies: readonly number[]): PolicyRecording['latencyMs'] {
  if (latencies.length === 0) return null;
  return {
    n: latencies.length,
    mean: microseconds(mean(latencies)),
    p50: microseconds(percentile(latencies, 0.5) ?? 0),
    p95: microseconds(percentile(latencies, 0.95) ?? 0),
    max: microseconds(latencies.reduce((most, value) => Math.max(most, value), 0)),
  };
}

/** More digits than a clock has would only fill the file. */
function microseconds(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}
