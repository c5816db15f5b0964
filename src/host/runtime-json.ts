import { PyFloat, PyTimestamp } from '../pyyaml/values.ts';
import { pythonFloat } from './yaml-writer.ts';

/**
 * JSON as the runtime writes episode.json: two blanks of indent, keys sorted, characters beyond ASCII escaped, floats with
 * a decimal point, `NaN` and `Infinity` as bare words (which strict JSON readers refuse).
 */
export function writeRuntimeJson(value: unknown): string {
  return `${jsonText(value, '')}\n`;
}

function jsonText(value: unknown, indent: string): string {
  if (typeof value === 'string') return asciiString(value);
  if (typeof value !== 'object' || value === null) return scalar(value);
  if (value instanceof PyFloat) return floatWord(value.value);
  if (value instanceof PyTimestamp) return asciiString(value.text);
  const inner = `${indent}  `;
  if (ArrayBuffer.isView(value))
    return list(
      Array.from(typedValues(value), (each) => jsonText(each, inner)),
      indent,
    );
  if (Array.isArray(value))
    return list(
      value.map((each) => jsonText(each, inner)),
      indent,
    );
  const keys = Object.keys(value).sort();
  if (keys.length === 0) return '{}';
  const entries = new Map(Object.entries(value));
  return `{\n${keys.map((key) => `${inner}${asciiString(key)}: ${jsonText(entries.get(key), inner)}`).join(',\n')}\n${indent}}`;
}

function list(items: string[], indent: string): string {
  if (items.length === 0) return '[]';
  return `[\n${items.map((item) => `${indent}  ${item}`).join(',\n')}\n${indent}]`;
}

function typedValues(view: ArrayBufferView): Iterable<number | PyFloat> {
  if (view instanceof Float32Array || view instanceof Float64Array)
    return Array.from(view, (each) => new PyFloat(each));
  return new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
}

function scalar(value: unknown): string {
  if (value === null || value === undefined) return 'null';
  if (typeof value === 'number') return Number.isSafeInteger(value) ? String(value) : floatWord(value);
  return String(value);
}

function floatWord(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? 'Infinity' : '-Infinity';
  return pythonFloat(value);
}

function asciiString(text: string): string {
  return JSON.stringify(text).replace(
    /[\x7f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
