import { decode } from '@msgpack/msgpack';
import { canonicalDigest } from '../base/canonical-json.ts';
import { MAX_DEPTH, plainMap, textKey } from '../base/plain-message.ts';
import { WhyNot } from '../base/why-not.ts';

/** Who the policy says it is; plain JSON. */
export interface PolicyIdentity {
  /** `unknown`: the policy sends metadata that is empty. */
  readonly kind: 'metadata' | 'dummy' | 'unknown';
  /** `sha256:<64 hex>` over the metadata in canonical JSON, without the entries named in `volatile`. */
  readonly digest: string | null;
  /** The metadata as plain JSON; bytes and numbers that JSON lacks are marked maps. */
  readonly metadata: Readonly<Record<string, unknown>>;
  /** Entries that change from one connection to the next and say nothing about the policy. */
  readonly volatile: readonly string[];
}

/** The policy inside the runtime; it has no server to ask. */
export const DUMMY_IDENTITY: PolicyIdentity = { kind: 'dummy', digest: null, metadata: {}, volatile: [] };

/** Clocks and counters of a connection; everything else is taken to describe the policy. */
const VOLATILE = new Set([
  'timestamp',
  'timestamp_ns',
  'time',
  'server_time',
  'now',
  'uptime',
  'uptime_s',
  'pid',
  'connection_id',
  'request_id',
]);

/**
 * The identity in the one message that a policy server sends when a client connects: a MessagePack map, whose keys may
 * be binary.
 * @returns the identity, or why the message is none.
 */
export function readMetadata(message: Uint8Array): PolicyIdentity | WhyNot {
  const decoded = decodedMessage(message);
  if (decoded instanceof WhyNot) return decoded;
  const { value } = decoded;
  if (typeof value !== 'object' || value === null || Array.isArray(value) || value instanceof Uint8Array) {
    return new WhyNot('the metadata is not a map');
  }
  const plain = plainMap(value);
  if (plain === null) return new WhyNot(`the metadata is nested deeper than ${MAX_DEPTH} levels`);
  const volatile = Object.keys(plain).filter((key) => VOLATILE.has(key.toLowerCase()));
  const lasting = Object.fromEntries(Object.entries(plain).filter(([key]) => !volatile.includes(key)));
  if (Object.keys(lasting).length === 0) return { kind: 'unknown', digest: null, metadata: plain, volatile };
  return { kind: 'metadata', digest: `sha256:${canonicalDigest(lasting)}`, metadata: plain, volatile };
}

function decodedMessage(message: Uint8Array): { readonly value: unknown } | WhyNot {
  try {
    return { value: decode(message, { useBigInt64: true, mapKeyConverter: textKey }) };
  } catch (error) {
    const why = error instanceof Error ? error.message.slice(0, 120) : 'unknown';
    return new WhyNot(`the metadata is not MessagePack (${why})`);
  }
}
