import { decode, encode } from '@msgpack/msgpack';

/**
 * MessagePack as target and policy speak it: arrays travel as marked maps. Target keys are text, the policy protocol's
 * marker keys are binary; both are understood when reading.
 */

/** An n-dimensional array in numpy's terms. `dtype` as numpy writes it, e.g. `<f4`, `|u1`. */
export class NdArray {
  readonly dtype: string;
  readonly shape: readonly number[];
  readonly data: Uint8Array;

  constructor(dtype: string, shape: readonly number[], data: Uint8Array) {
    this.dtype = dtype;
    this.shape = shape;
    this.data = data;
  }

  /** A float32 array of the given shape from numbers, row after row. */
  static float32(values: readonly number[], shape: readonly number[] = [values.length]): NdArray {
    return new NdArray('<f4', shape, new Uint8Array(Float32Array.from(values).buffer));
  }

  /** The numbers of a `<f4`, `<f8`, `|u1`, `<i4` or `<i8` array; null for another dtype or a wrong length. */
  numbers(): number[] | null {
    // Not slice(): on a Buffer that would share the memory of the whole message.
    const copy = new Uint8Array(this.data).buffer;
    const width = { '<f4': 4, '<f8': 8, '|u1': 1, '<i4': 4, '<i8': 8 }[this.dtype];
    if (width === undefined || copy.byteLength !== width * this.shape.reduce((size, each) => size * each, 1))
      return null;
    if (this.dtype === '<f4') return [...new Float32Array(copy)];
    if (this.dtype === '<f8') return [...new Float64Array(copy)];
    if (this.dtype === '<i4') return [...new Int32Array(copy)];
    if (this.dtype === '<i8') return [...new BigInt64Array(copy)].map(Number);
    return [...new Uint8Array(copy)];
  }
}

export type WireMap = { [key: string]: unknown };

const MARKERS = ['__ndarray__', 'data', 'dtype', 'shape'];
const INTEGERS = { useBigInt64: true };

/** Encodes a message of the target protocol. Integers from 2^32 up must be bigint, or they leave as floats. */
export function encodeWire(message: unknown): Uint8Array {
  return encode(toWire(message), INTEGERS);
}

function toWire(value: unknown): unknown {
  if (value instanceof NdArray) {
    return { __ndarray__: true, data: value.data, dtype: value.dtype, shape: value.shape };
  }
  if (value instanceof Uint8Array || typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(toWire);
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, toWire(item)]));
}

/** Encodes a message of the policy protocol, whose array markers are binary keys (which objects cannot carry). */
export function encodePolicyWire(value: unknown): Uint8Array {
  if (value instanceof NdArray) {
    const fields = [true, value.data, value.dtype, value.shape];
    return wireMap(MARKERS.map((marker, index) => [Buffer.from(marker), encode(fields[index], INTEGERS)]));
  }
  const map = asMap(value);
  if (map === null) return encode(value, INTEGERS);
  return wireMap(Object.entries(map).map(([key, item]) => [key, encodePolicyWire(item)]));
}

/** A map from keys and already encoded values: MessagePack's fixmap, or map 16 beyond 15 entries. */
function wireMap(entries: readonly (readonly [string | Uint8Array, Uint8Array])[]): Uint8Array {
  const count = entries.length;
  if (count > 0xffff) throw new RangeError('a policy message has at most 65535 keys');
  const parts = entries.flatMap(([key, bytes]) => [encode(key), bytes]);
  const head = count < 16 ? [0x80 | count] : [0xde, count >> 8, count & 0xff];
  return Buffer.concat([Buffer.from(head), ...parts]);
}

/** Decodes a message; throws on bytes that are not MessagePack. 64-bit integers come back as bigint. */
export function decodeWire(bytes: Uint8Array): unknown {
  const keyText = (key: unknown): string =>
    key instanceof Uint8Array ? Buffer.from(key).toString('utf8') : String(key);
  return fromWire(decode(bytes, { useBigInt64: true, mapKeyConverter: keyText }));
}

function fromWire(value: unknown): unknown {
  if (value instanceof Uint8Array || typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(fromWire);
  const entries = new Map(Object.entries(value));
  const [, data, dtype, shape] = MARKERS.map((key) => entries.get(key));
  if (
    entries.get('__ndarray__') === true &&
    data instanceof Uint8Array &&
    typeof dtype === 'string' &&
    Array.isArray(shape)
  ) {
    return new NdArray(dtype, shape.map(Number), data);
  }
  if (entries.get('__npgeneric__') === true) return fromWire(data);
  return Object.fromEntries([...entries].map(([key, item]) => [key, fromWire(item)]));
}

/** The value as a map with text keys, or null. */
export function asMap(value: unknown): WireMap | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
  if (value instanceof Uint8Array || value instanceof NdArray) return null;
  return Object.fromEntries(Object.entries(value));
}
