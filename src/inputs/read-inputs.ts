import { EXIT, type Problem, RbError } from '../errors/rb-error.ts';
import type { ConfigFile } from './config-file.ts';
import { contradictions } from './contradictions.ts';
import { nameProblems } from './given-names.ts';
import { layersOf, otherParts, type Source, sourceOf } from './input-source.ts';
import { INPUT_NAMES, type InputName, type InputValues, inputRow, type Origin } from './input-table.ts';
import { Wrong } from './table/kinds.ts';
import { withoutEffect } from './without-effect.ts';

export interface Inputs extends InputValues {
  readonly origins: Readonly<Record<InputName, Origin>>;
  /** Texts of the inputs that were given directly, without those that are secret. */
  readonly given: Readonly<Partial<Record<InputName, string>>>;
  /** Values that were read and have no effect; shown and recorded, never fatal. */
  readonly warnings: readonly Problem[];
}

export interface ReadOptions {
  /** Inputs that must be given; the workspace unless said otherwise. */
  readonly required?: readonly InputName[];
  /** Whether a step of a workflow gave them: it takes no settings. */
  readonly step?: boolean;
}

/** The config file that is read when none is named and it is there: from the root of the repository. */
export const DEFAULT_CONFIG = '.github/rollout-bench.yml';

const NO_CONFIG: ConfigFile = { values: new Map(), presets: new Map(), problems: [] };

/** Longest value that a message repeats. */
const SHOWN_CHARACTERS = 80;

/**
 * All inputs, parsed. An input given directly wins over the config file, the file over the preset, the preset over the
 * default; the empty string counts as not given.
 * @param raw inputs by name, as text.
 * @param config the file that the input `config` names, as `readConfigFile` gives it; the caller reads it (see `configPath`).
 * @throws RbError with every problem of every input at once (RB1xx, exit 2).
 */
export function readInputs(
  raw: Readonly<Record<string, string>>,
  config: ConfigFile = NO_CONFIG,
  options: ReadOptions = {},
): Inputs {
  const place = { step: options.step === true, config: configPath(raw) ?? DEFAULT_CONFIG };
  const problems: Problem[] = [...nameProblems(raw, place), ...config.problems];
  const layers = layersOf(raw, config);
  const values = new Map<string, unknown>();
  const origins = new Map<InputName, Origin>();
  for (const name of INPUT_NAMES) {
    const source = sourceOf(name, layers);
    origins.set(name, source.origin);
    const parsed = parseInput(name, source);
    if (parsed.problem !== null) problems.push(parsed.problem);
    values.set(inputRow(name).key, parsed.value);
  }
  problems.push(
    ...otherParts(layers).flatMap(([name, source]) => parseInput(name, source).problem ?? []),
    ...missing(options.required ?? requiredFor(values.get('mode')), origins),
    ...contradictions(values),
  );
  if (problems.length > 0) throw new RbError(EXIT.usage, problems);
  // Safe: every input of the table was parsed by its own kind above, and stored under its own key.
  return {
    ...Object.fromEntries(values),
    origins: Object.fromEntries(origins),
    given: givenTexts(raw, origins),
    warnings: withoutEffect(values, (name) => origins.get(name) !== 'default'),
  } as unknown as Inputs;
}

/** A token is told to nobody. */
const SECRET: readonly InputName[] = ['github-token'];

function givenTexts(
  raw: Readonly<Record<string, string>>,
  origins: ReadonlyMap<InputName, Origin>,
): Inputs['given'] {
  const texts = [...origins].flatMap(([name, origin]) =>
    origin === 'input' && !SECRET.includes(name) ? [[name, raw[name]]] : [],
  );
  return Object.fromEntries(texts);
}

/** Bundles know where they come from; only measuring needs the host's workspace. */
function requiredFor(mode: unknown): readonly InputName[] {
  return mode === 'report' ? [] : ['workspace'];
}

/** The config file that the inputs name, null when there is none. */
export function configPath(raw: Readonly<Record<string, string>>): string | null {
  const path = (raw.config ?? '').trim();
  return path === '' ? null : path;
}

/**
 * Inputs of a step as the runner hands them over: `INPUT_<NAME>` variables, upper case, blanks as `_`.
 * Names that are no input are kept, so that `readInputs` refuses a misspelt one.
 */
export function rawFromEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const raw: Record<string, string> = {};
  for (const [variable, value] of Object.entries(environment)) {
    if (!variable.startsWith('INPUT_') || value === undefined || value.trim() === '') continue;
    raw[variable.slice('INPUT_'.length).toLowerCase()] = value;
  }
  return raw;
}

function parseInput(name: InputName, source: Source): { value: unknown; problem: Problem | null } {
  if (source.text === null) return { value: null, problem: null };
  const row = inputRow(name);
  const parsed = row.kind.parse(source.text);
  if (!(parsed instanceof Wrong)) return { value: parsed, problem: null };
  const problem: Problem = {
    code: parsed.code,
    where: source.where,
    message: `${parsed.why}.`,
    ...(parsed.isSecret ? {} : { value: shown(source.text) }),
    fix: parsed.fix ?? `Write for example ${JSON.stringify(row.example)}.`,
    severity: 'fatal',
  };
  return { value: null, problem };
}

/** Quoted, so that blanks and line breaks show, and cut. */
function shown(text: string): string {
  const cut = text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text;
  return JSON.stringify(cut);
}

function missing(required: readonly InputName[], origins: ReadonlyMap<InputName, Origin>): Problem[] {
  return required
    .filter((name) => origins.get(name) === 'default' && inputRow(name).default === null)
    .map((name) => ({
      code: 'RB103',
      where: `input ${name}`,
      message: 'is required and was not given.',
      fix: `Give for example ${JSON.stringify(inputRow(name).example)}.`,
      severity: 'fatal',
    }));
}
