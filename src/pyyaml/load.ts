import { MAX_DEPTH, type ReadOptions, readDocument } from './read.ts';
import { placeOf } from './source.ts';
import { YamlError } from './yaml-error.ts';

/** How many values a document may have when each alias is written out. */
const MAX_VALUES = 1_000_000;

/**
 * The value of a document, as {@link readDocument} reads it, that everybody can walk through: a tree of bounded size. What
 * the runtime reads and only we refuse is a {@link YamlError} with `isOurs`, which names the key: aliases that make a value
 * contain itself, nest without bound or multiply beyond a million values; and half a character (`"\ud83d"`), which nobody
 * can write into a file again.
 */
export function loadYaml(text: string, options: ReadOptions = {}): unknown {
  const { value, hasAliases, halfCharacterAt } = readDocument(text, options);
  if (halfCharacterAt !== null) {
    const message = 'an escape stands for half a character, which the runtime reads and can write nowhere';
    throw new YamlError(message, { ...placeOf(text, halfCharacterAt), isOurs: true });
  }
  if (hasAliases) new TreeCheck().visit(value);
  return value;
}

class TreeCheck {
  readonly #above = new Set<object>();
  readonly #path: (string | number)[] = [];
  #left = MAX_VALUES;

  visit(value: unknown): void {
    this.#left -= 1;
    if (this.#left < 0) this.#refuse(`its aliases stand for more than ${MAX_VALUES} values`);
    if (typeof value !== 'object' || value === null) return;
    if (this.#above.has(value)) this.#refuse('it contains itself through an alias');
    if (this.#above.size >= 2 * MAX_DEPTH) this.#refuse(`its aliases nest more than ${2 * MAX_DEPTH} levels`);
    this.#above.add(value);
    for (const [key, item] of membersOf(value)) {
      this.#path.push(key);
      this.visit(item);
      this.#path.pop();
    }
    this.#above.delete(value);
  }

  #refuse(problem: string): never {
    const path = this.#path.slice(0, 8).map((key) => (typeof key === 'number' ? `[${key}]` : `.${key}`));
    const where = path.join('').replace(/^\./, '').slice(0, 120);
    throw new YamlError(`the value of ${where || 'the document'} cannot be used: ${problem}`, {
      line: null,
      column: null,
      isOurs: true,
    });
  }
}

function membersOf(value: object): Iterable<readonly [string | number, unknown]> {
  if (Array.isArray(value)) return value.entries();
  if (value instanceof Map) return [...value].map(([key, item]) => [String(key), item] as const);
  return Object.getPrototypeOf(value) === Object.prototype ? Object.entries(value) : [];
}
