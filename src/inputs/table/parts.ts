import { type Kind, kind, listItems, Wrong } from './kinds.ts';

type Kinds = Readonly<Record<string, Kind<unknown>>>;
type PartsOf<K extends Kinds> = { readonly [Name in keyof K]?: K[Name] extends Kind<infer T> ? T : never };

/**
 * An input of several parts, `name=value` each with its own kind: in text with a comma or a line break between them, in
 * the config file a map as well. A part is given once at most, and one at least.
 */
export function parts<const K extends Kinds>(kinds: K): Kind<PartsOf<K>> {
  const names = Object.keys(kinds);
  const read = (text: string): PartsOf<K> | Wrong => {
    const found = new Map<string, unknown>();
    for (const item of listItems(text)) {
      const at = item.indexOf('=');
      const name = (at < 0 ? item : item.slice(0, at)).trim();
      const own = Object.hasOwn(kinds, name) ? kinds[name] : undefined;
      if (own === undefined || at < 0) return new Wrong(`must have parts of the form ${forms(names)}`);
      if (found.has(name)) return new Wrong(`gives ${name} twice`);
      const value = own.parse(item.slice(at + 1));
      if (value instanceof Wrong) return new Wrong(`has a wrong ${name}: it ${value.why}`);
      found.set(name, value);
    }
    if (found.size === 0) return new Wrong(`must have parts of the form ${forms(names)}`);
    // Safe: each value was read by the kind of its own name.
    return Object.fromEntries(found) as PartsOf<K>;
  };
  return { ...kind('parts', read, true), map: true };
}

function forms(names: readonly string[]): string {
  return names.map((name) => `${name}=…`).join(', ');
}
