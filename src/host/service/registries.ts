import { statSync } from 'node:fs';
import { join } from 'node:path';
import { ZodError } from 'zod';
import type { FreeMap } from '../loose-values.ts';
import { RuntimeFailure } from '../python-error.ts';
import { parseSkillRuntimes, parseTargets, type SkillRuntime, type Target } from '../registry-schema.ts';
import { readText } from '../runtime-document.ts';
import { type KnownItems, readList } from './list-document.ts';

/** The entries of TARGETS.md and SKILLRUNTIME.md. */
export interface Registries {
  readonly targets: RegistryFile<Target>;
  readonly skills: RegistryFile<SkillRuntime>;
}

export function openRegistries(workspace: string): Registries {
  const skills = join(workspace, 'SKILLRUNTIME.md');
  return {
    targets: new RegistryFile(join(workspace, 'TARGETS.md'), 'targets', parseTargets),
    skills: new RegistryFile(skills, 'skillruntimes', parseSkillRuntimes),
  };
}

type Parsed<T> = { readonly entry: T } | { readonly id: unknown; readonly fault: string };

/** A registry document whose entries are parsed one by one: a bad one is only the fault of who names it. */
class RegistryFile<T extends { readonly id: string }> {
  readonly #path: string;
  readonly #key: string;
  readonly #parse: (block: FreeMap) => T[];
  readonly #parsed = new WeakMap<object, Parsed<T>>();
  #identity = '';
  #items: KnownItems = new Map();
  #entries: readonly Parsed<T>[] = [];

  constructor(path: string, key: string, parse: (block: FreeMap) => T[]) {
    this.#path = path;
    this.#key = key;
    this.#parse = parse;
  }

  /** Reads the document when it changed, and says whether it did. @throws WatchdogCrash when it cannot be read at all. */
  refresh(): boolean {
    const { ino, mtimeNs, size } = statSync(this.#path, { bigint: true, throwIfNoEntry: false }) ?? {};
    const identity = `${ino}:${mtimeNs}:${size}`;
    if (identity === this.#identity && ino !== undefined) return false;
    const name = `${this.#key === 'targets' ? 'TARGETS' : 'SKILLRUNTIME'}.md`;
    const document = readList(readText(this.#path, name), this.#key, name, this.#items);
    this.#parse({ ...document.top, [this.#key]: [] });
    this.#items = new Map(document.items.map(({ text, value }) => [text, value]));
    this.#entries = document.items.map(({ value }) => this.#entry(value));
    this.#identity = identity;
    return true;
  }

  /** All sound entries, the first of an id first. */
  entries(): T[] {
    return this.#entries.flatMap((each) => ('entry' in each ? [each.entry] : []));
  }

  /** @throws RuntimeFailure SCHEMA_VALIDATION when the entry of this id is one that the runtime would refuse. */
  refuseBroken(id: string): void {
    const first = this.#entries.find((each) => ('entry' in each ? each.entry.id : each.id) === id);
    if (first === undefined || 'entry' in first) return;
    const kind = this.#key === 'targets' ? 'target' : 'skillruntime';
    throw new RuntimeFailure('SCHEMA_VALIDATION', `${kind} ${id} is not valid: ${first.fault}`);
  }

  #entry(value: unknown): Parsed<T> {
    if (typeof value !== 'object' || value === null) return { id: null, fault: 'not a mapping' };
    const known = this.#parsed.get(value) ?? this.#parseOne(value);
    this.#parsed.set(value, known);
    return known;
  }

  #parseOne(value: object): Parsed<T> {
    try {
      const [entry] = this.#parse({ [this.#key]: [value] });
      return entry === undefined ? { id: null, fault: 'empty' } : { entry };
    } catch (error) {
      if (!(error instanceof ZodError)) throw error;
      const issue = error.issues[0];
      const place = issue?.path.slice(2).join('.') ?? '';
      return { id: Reflect.get(value, 'id'), fault: `${place}: ${issue?.message ?? ''}`.slice(0, 500) };
    }
  }
}
