import { compose } from './compose.ts';
import { construct } from './construct.ts';
import { placeOf } from './source.ts';
import { Refused, YamlError } from './yaml-error.ts';

/*
 * A reader of YAML with PyYAML 6.0.2 (`safe_load`) as its measure: it takes what that takes, refuses what that refuses and
 * for the same reason, and gives the same values. Written after the behaviour of PyYAML (MIT licence, © 2017-2021 Ingy döt
 * Net, © 2006-2016 Kirill Simonov), whose wording of problems it keeps so that they can be found in the runtime's own log.
 */

/** How deep a document may be: from this depth on the peer runs out of its call stack, a little earlier or later. */
export const MAX_DEPTH = 480;
/** How many nodes merges may put together in one document. */
const MAX_MERGED = 2_000_000;

export interface ReadOptions {
  /** Mappings become Maps with keys of their own kind, `300.0` becomes a PyFloat: for writing back what was read. */
  readonly keepTypes?: boolean;
}

/** Lies in a mapping whose keys were not all text, where no listing of its keys shows it. */
const OTHER_KEYS = Symbol('keys that were no text');

/** Whether a mapping that {@link readDocument} read had a key that is no text (a number, null, a date), now turned into text. */
export function hasNonTextKey(value: object): boolean {
  return Object.hasOwn(value, OTHER_KEYS);
}

interface ReadDocument {
  readonly value: unknown;
  /** Whether a value may stand in several places, or in itself. */
  readonly hasAliases: boolean;
  /** Offset of the first escape that stands for half a surrogate pair; null when there is none. */
  readonly halfCharacterAt: number | null;
}

/**
 * The value of the one document in a text: duplicate keys keep the last value, merge keys apply, `off` is false, `12:30` is
 * 750, time stamps are PyTimestamp, integers beyond 2^53 bigint, `!!binary` Uint8Array, `!!set` Set, `!!omap` a list of
 * PyTuple. An empty document is null. Values that stand in several places are one object, and one may contain itself.
 * Throws {@link YamlError}.
 */
export function readDocument(text: string, options: ReadOptions = {}): ReadDocument {
  try {
    refuseUnprintable(text);
    const tooDeep = (offset: number): never => refuseDepth(text, offset);
    const { root, ...found } = compose(text, { maxDepth: MAX_DEPTH, tooDeep });
    if (root === null) return { value: null, ...found };
    const value = construct(root, {
      keepTypes: options.keepTypes ?? false,
      onOtherKeys: (mapping) => Object.defineProperty(mapping, OTHER_KEYS, { value: true }),
      maxMerged: MAX_MERGED,
      tooLarge: (offset) => refuseMerges(text, offset),
    });
    return { value, ...found };
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    throw new YamlError(error.message, placeOf(text, error.offset), { cause: error });
  }
}

// Surrogates are looked at on their own: a class with astral characters is ten times slower.
const UNPRINTABLE = /[^\t\n\r\x20-\x7e\x85\xa0-\ufffd]/;
const ANY_SURROGATE = /[\ud800-\udfff]/;
const LONE_SURROGATE = /[\ud800-\udfff]/u;

/** What the peer refuses anywhere in a document, even inside quotes. */
function refuseUnprintable(text: string): void {
  const none = text.length;
  const lone = ANY_SURROGATE.test(text) ? (LONE_SURROGATE.exec(text)?.index ?? none) : none;
  const first = Math.min(UNPRINTABLE.exec(text)?.index ?? none, lone);
  if (first === none) return;
  const code = text.charCodeAt(first).toString(16).toUpperCase().padStart(4, '0');
  throw new Refused(`the character U+${code} is not allowed`, first);
}

function refuseDepth(text: string, offset: number): never {
  const message = `nested more than ${MAX_DEPTH} levels deep, where the runtime's reader runs out of stack`;
  throw new YamlError(message, placeOf(text, offset));
}

function refuseMerges(text: string, offset: number): never {
  const message = `merge keys (<<) put together more than ${MAX_MERGED / 2} entries`;
  throw new YamlError(message, { ...placeOf(text, offset), isOurs: true });
}
