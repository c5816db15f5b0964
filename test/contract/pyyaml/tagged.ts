import { timestampIso } from '../../../src/pyyaml/timestamp.ts';
import { PyFloat, PyTimestamp, PyTuple } from '../../../src/pyyaml/values.ts';

export type Tagged = string | { readonly [kind: string]: readonly (Tagged | readonly [Tagged, Tagged])[] };

/** Values that were read with their kinds, as the Python peer tags its own. */
export class Tagger {
  readonly #seen = new Map<object, number>();

  tagged(value: unknown): Tagged {
    if (value === null) return 'null';
    if (typeof value === 'boolean') return `bool ${value}`;
    if (typeof value === 'string') return `str ${value}`;
    if (value instanceof PyTimestamp) return `time ${timestampIso(value)}`;
    if (value instanceof PyFloat) return `float ${hexFloat(value.value)}`;
    if (value instanceof Uint8Array) return `bytes ${Buffer.from(value).toString('hex')}`;
    if (typeof value === 'bigint') return `int ${value.toString(16)}`;
    if (typeof value === 'number')
      return Number.isInteger(value) && !Object.is(value, -0)
        ? `int ${value.toString(16)}`
        : `float ${hexFloat(value)}`;
    if (typeof value !== 'object') throw new TypeError(`a reader does not give a ${typeof value}`);
    return this.#container(value);
  }

  #container(value: object): Tagged {
    const seen = this.#seen.get(value);
    if (seen !== undefined && !(value instanceof PyTuple)) return `seen ${seen}`;
    this.#seen.set(value, this.#seen.size);
    if (value instanceof Set) return { set: [...value].map((each) => this.tagged(each)).sort(byText) };
    if (value instanceof Map)
      return { map: [...value].map(([key, item]) => [this.tagged(key), this.tagged(item)] as const) };
    if (value instanceof PyTuple) return { tuple: [...value].map((each) => this.tagged(each)) };
    if (Array.isArray(value)) return { list: value.map((each) => this.tagged(each)) };
    throw new TypeError('a reader that keeps kinds gives Maps');
  }
}

/** By code points, as Python sorts. */
function byText(a: Tagged, b: Tagged): number {
  return Buffer.compare(Buffer.from(String(a), 'utf8'), Buffer.from(String(b), 'utf8'));
}

/** As Python's float.hex. */
export function hexFloat(value: number): string {
  if (Number.isNaN(value)) return 'nan';
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf';
  const bits = new DataView(new ArrayBuffer(8));
  bits.setFloat64(0, value);
  const high = bits.getUint32(0);
  const exponent = (high >>> 20) & 0x7ff;
  const mantissa = (BigInt(high & 0xfffff) << 32n) | BigInt(bits.getUint32(4));
  const sign = high >>> 31 === 1 ? '-' : '';
  if (exponent === 0 && mantissa === 0n) return `${sign}0x0.0p+0`;
  const power = exponent === 0 ? -1022 : exponent - 1023;
  return `${sign}0x${exponent === 0 ? 0 : 1}.${mantissa.toString(16).padStart(13, '0')}p${power < 0 ? '' : '+'}${power}`;
}
