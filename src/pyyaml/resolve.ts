import { MERGE_TAG, NULL_TAG, STR_TAG, VALUE_TAG, YAML_TAG } from './nodes.ts';

/*
 * What the peer takes an unquoted text for. The patterns are those of the YAML 1.1 type repository with its own deviations:
 * `y` and `n` stay text, an exponent needs a sign and the mantissa a point. A line feed at the end of the text (which only a
 * block text with the tag `!` can have) does not keep a pattern from matching.
 */

export const BOOL_TAG = `${YAML_TAG}bool`;
export const INT_TAG = `${YAML_TAG}int`;
export const FLOAT_TAG = `${YAML_TAG}float`;
export const TIMESTAMP_TAG = `${YAML_TAG}timestamp`;

const BOOL_PATTERN = /^(?:yes|Yes|YES|no|No|NO|true|True|TRUE|false|False|FALSE|on|On|ON|off|Off|OFF)\n?$/;
const NULL_PATTERN = /^(?:~|null|Null|NULL)\n?$/;

/** Matches what the runtime takes for an integer; some matches cannot be converted (`0x_`) and are then an error. */
export const INT_PATTERN =
  /^(?:[-+]?0b[01_]+|[-+]?0[0-7_]+|[-+]?(?:0|[1-9][0-9_]*)|[-+]?0x[0-9a-fA-F_]+|[-+]?[1-9][0-9_]*(?::[0-5]?[0-9])+)\n?$/;

/** Matches what the runtime takes for a floating-point number. */
export const FLOAT_PATTERN =
  /^(?:[-+]?[0-9][0-9_]*\.[0-9_]*(?:[eE][-+][0-9]+)?|\.[0-9][0-9_]*(?:[eE][-+][0-9]+)?|[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+\.[0-9_]*|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))\n?$/;

/** Matches what the runtime takes for a date or a time stamp without being told: a date alone has two digits each. */
export const TIMESTAMP_PATTERN =
  /^(?:\d{4}-\d\d-\d\d|\d{4}-\d\d?-\d\d?(?:[Tt]|[ \t]+)\d\d?:\d\d:\d\d(?:\.\d*)?(?:[ \t]*(?:Z|[-+]\d\d?(?::\d\d)?))?)\n?$/;

const SHORT_INT = /^-?[1-9][0-9]{0,14}$/;

/** Tag of a text that stands without quotes and without a tag. */
export function plainTag(text: string): string {
  switch (text.charCodeAt(0)) {
    case 0x2b: // +
    case 0x2d: // -
    case 0x2e: // .
    case 0x30: // 0 to 9
    case 0x31:
    case 0x32:
    case 0x33:
    case 0x34:
    case 0x35:
    case 0x36:
    case 0x37:
    case 0x38:
    case 0x39:
      return numberTag(text);
    case 0x7e: // ~
      return NULL_PATTERN.test(text) ? NULL_TAG : STR_TAG;
    case 0x4e: // N, n: no or null
    case 0x6e:
      if (NULL_PATTERN.test(text)) return NULL_TAG;
      return BOOL_PATTERN.test(text) ? BOOL_TAG : STR_TAG;
    case 0x46: // F, O, T, Y in both cases
    case 0x4f:
    case 0x54:
    case 0x59:
    case 0x66:
    case 0x6f:
    case 0x74:
    case 0x79:
      return text.length <= 6 && BOOL_PATTERN.test(text) ? BOOL_TAG : STR_TAG;
    case 0x3c: // <
      return text === '<<' || text === '<<\n' ? MERGE_TAG : STR_TAG;
    case 0x3d: // =
      return text === '=' || text === '=\n' ? VALUE_TAG : STR_TAG;
    default:
      return text === '' ? NULL_TAG : strOrYamlTag(text);
  }
}

/** A lone `!`, `&` or `*`, which only a text with the tag `!` can be; no value has that tag. */
function strOrYamlTag(text: string): string {
  return /^[!&*]\n?$/.test(text) ? `${YAML_TAG}yaml` : STR_TAG;
}

function numberTag(text: string): string {
  if (SHORT_INT.test(text)) return INT_TAG;
  if (FLOAT_PATTERN.test(text)) return FLOAT_TAG;
  if (INT_PATTERN.test(text)) return INT_TAG;
  return TIMESTAMP_PATTERN.test(text) ? TIMESTAMP_TAG : STR_TAG;
}
