import { decode, encode } from '@msgpack/msgpack';
import * as z from 'zod';

const RPC_VERSION = 'phyagentos.runtime_rpc.v2';

/** A request envelope before it is encoded. */
export interface RpcRequest {
  readonly type: string;
  readonly targetId: string | null;
  readonly seq: number;
  /** Nanoseconds since 1970: above 2^53, so never a number. */
  readonly timestampNs: bigint;
  readonly payload: Readonly<Record<string, unknown>>;
}

/** One MessagePack map with all fields of the protocol; those that do not apply are nil. */
export function encodeRequest(request: RpcRequest): Uint8Array {
  const envelope = {
    version: RPC_VERSION,
    type: request.type,
    session_id: null,
    target_id: request.targetId,
    skillruntime_id: null,
    episode_id: null,
    seq: request.seq,
    timestamp_ns: request.timestampNs,
    trace_id: null,
    payload: request.payload,
  };
  return encode(envelope, { useBigInt64: true });
}

const id = z.string().max(1000).nullish();

const responseSchema = z.object({
  version: z.literal(RPC_VERSION),
  type: z.string().max(200),
  session_id: id,
  target_id: id,
  skillruntime_id: id,
  seq: z.union([z.int(), z.bigint().transform(Number)]),
  payload: z.record(z.string(), z.unknown()).nullish(),
});

const errorPayload = z.object({ error_code: z.string().nullish(), message: z.string().nullish() });

export type Answer =
  | { readonly kind: 'payload'; readonly payload: Readonly<Record<string, unknown>> }
  /** The server's own report of a fault, without its traceback and paths. */
  | { readonly kind: 'error'; readonly code: string; readonly message: string }
  /** Not MessagePack, or not an envelope of this protocol. */
  | { readonly kind: 'garbage'; readonly why: string }
  /** An envelope that answers something else. */
  | { readonly kind: 'mismatch'; readonly why: string };

/**
 * What a received message says to a request. As in the runtime's own client, `runtime.error` counts whatever its ids
 * are; otherwise type, seq, session, target and skill runtime must equal the request's.
 */
export function readAnswer(message: Uint8Array, request: RpcRequest): Answer {
  const decoded = decodeMessage(message);
  if (!decoded.ok) return { kind: 'garbage', why: decoded.why };
  const parsed = responseSchema.safeParse(decoded.value);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    return {
      kind: 'garbage',
      why: `${issue?.path.join('.') || 'message'}: ${issue?.message ?? 'not understood'}`,
    };
  }
  const response = parsed.data;
  if (response.type === 'runtime.error') return errorAnswer(response.payload);
  const differing = [
    difference('type', response.type, request.type),
    difference('seq', response.seq, request.seq),
    difference('session_id', response.session_id ?? null, null),
    difference('target_id', response.target_id ?? null, request.targetId),
    difference('skillruntime_id', response.skillruntime_id ?? null, null),
  ].filter((text) => text !== null);
  if (differing.length > 0) return { kind: 'mismatch', why: differing.join(', ') };
  return { kind: 'payload', payload: response.payload ?? {} };
}

function decodeMessage(message: Uint8Array): { ok: true; value: unknown } | { ok: false; why: string } {
  try {
    return { ok: true, value: decode(message, { useBigInt64: true }) };
  } catch (error) {
    return {
      ok: false,
      why: `not MessagePack (${error instanceof Error ? error.message.slice(0, 120) : 'unknown'})`,
    };
  }
}

function difference(field: string, found: unknown, wanted: unknown): string | null {
  return found === wanted ? null : `${field} is ${shown(found)}, not ${shown(wanted)}`;
}

function shown(value: unknown): string {
  return JSON.stringify(value)?.slice(0, 80) ?? 'absent';
}

function errorAnswer(payload: unknown): Answer {
  const parsed = errorPayload.safeParse(payload);
  if (!parsed.success) return { kind: 'error', code: 'TARGET_RPC_ERROR', message: 'without a message' };
  return {
    kind: 'error',
    code: withoutPaths(parsed.data.error_code ?? 'TARGET_RPC_ERROR').slice(0, 80),
    message: withoutPaths(parsed.data.message ?? 'without a message').slice(0, 300),
  };
}

/** The first line, control characters and absolute paths taken out: messages travel to public reports. */
function withoutPaths(text: string): string {
  const line = text.trim().split(/[\r\n]/, 1)[0] ?? '';
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are exactly what is taken out
  const clean = line.replace(/[\u0000-\u001f\u007f-\u009f]/g, ' ');
  return clean.replace(/(^|[\s'"(=:])(?:\/[^\s/:'")]+){2,}\/?/g, '$1<path>');
}
