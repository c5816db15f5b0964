import { errorOf, type Problem, problemOf } from '../errors/rb-error.ts';
import type { InputName } from './input-table.ts';
import { nearest } from './nearest.ts';
import { oldNameProblem } from './old-names.ts';
import { COMMON_OPTIONS, type VerbOption } from './verb-options.ts';
import { isVerbName, VERB_SPECS, type VerbName, type VerbSpec, verbSpec } from './verbs.ts';

export type ParsedArgs =
  | { readonly kind: 'help'; readonly verb: VerbName | null; readonly all: boolean }
  | { readonly kind: 'version' }
  | {
      readonly kind: 'verb';
      readonly verb: VerbName;
      /** Inputs as text, for `readInputs`. */
      readonly raw: Readonly<Record<string, string>>;
      readonly positional: readonly string[];
      readonly json: boolean;
      readonly quiet: boolean;
      /** Options of the verb itself: the value, or the empty string for a switch. */
      readonly options: ReadonlyMap<string, string>;
      /** Inputs that the verb cannot do without, for `readInputs`; without those that a problem is about already. */
      readonly required: readonly InputName[];
      /** What is wrong with the line itself; to be told together with what is wrong with the inputs. */
      readonly problems: readonly Problem[];
    };

/**
 * Words after the program's name. Options are `--name value` or `--name=value`; `--` ends them.
 * @throws RbError RB110 (exit 2) for an unknown verb: nothing else of the line can be read then.
 */
export function parseArgs(argv: readonly string[]): ParsedArgs {
  const first = argv[0];
  if (first === undefined || asksForHelp(first)) return { kind: 'help', verb: null, all: argv[1] === 'all' };
  if (first === '--version' || first === '-V') return { kind: 'version' };
  if (first === 'help') {
    const [named, ...others] = argv.slice(1).filter((word) => word !== 'all');
    const all = argv.length > 1 + (named === undefined ? 0 : 1) + others.length;
    return { kind: 'help', verb: named === undefined ? null : verbNamed(named), all };
  }
  const verb = verbNamed(first);
  const words = argv.slice(1);
  const end = words.indexOf('--');
  const help = (end < 0 ? words : words.slice(0, end)).findIndex(asksForHelp);
  if (help >= 0) return { kind: 'help', verb, all: words[help + 1] === 'all' };
  const spec = verbSpec(verb);
  const line = readWords(words, verb, spec);
  return {
    kind: 'verb',
    verb,
    raw: Object.fromEntries(line.raw),
    positional: line.positional,
    json: line.options.has('json'),
    quiet: line.options.has('quiet'),
    options: line.options,
    required: spec.required.filter((name) => !line.meant.has(name)),
    problems: [...line.problems, ...countProblems(line.positional, verb, spec)],
  };
}

function asksForHelp(word: string): boolean {
  return word === '--help' || word === '-h';
}

function verbNamed(word: string): VerbName {
  if (isVerbName(word)) return word;
  const near = nearest(word, Object.keys(VERB_SPECS));
  throw errorOf('RB110', {
    where: 'command line',
    message: `${JSON.stringify(word)} is not a command.`,
    fix: near === null ? 'Run rollout-bench --help for the commands.' : `Did you mean ${near}?`,
  });
}

interface Line {
  readonly raw: Map<string, string>;
  readonly options: Map<string, string>;
  readonly positional: string[];
  readonly problems: Problem[];
  /** Options that were given, though misspelt or without a value. */
  readonly meant: Set<string>;
}

function readWords(words: readonly string[], verb: VerbName, spec: VerbSpec): Line {
  const line: Line = { raw: new Map(), options: new Map(), positional: [], problems: [], meant: new Set() };
  for (let index = 0; index < words.length; index++) {
    const word = words[index] ?? '';
    if (word === '--') {
      line.positional.push(...words.slice(index + 1));
      break;
    }
    if (!word.startsWith('-') || word === '-') {
      line.positional.push(word);
      continue;
    }
    const equals = word.indexOf('=');
    const written = word.slice(0, equals < 0 ? undefined : equals).replace(/^--?/, '');
    // As compilers have it.
    const name = written === 'o' && Object.hasOwn(spec.options, 'out') ? 'out' : written;
    const attached = equals < 0 ? null : word.slice(equals + 1);
    const following = words[index + 1];
    const next = following === undefined || following.startsWith('--') ? null : following;
    if (takeOption({ name, attached, next, verb, spec }, line)) index++;
  }
  return line;
}

interface Occurrence {
  readonly name: string;
  readonly attached: string | null;
  readonly next: string | null;
  readonly verb: VerbName;
  readonly spec: VerbSpec;
}

/** Stores one option; true when it used up the next word. */
function takeOption({ name, attached, next, verb, spec }: Occurrence, line: Line): boolean {
  const own = optionNamed(name, spec);
  const isInput = spec.inputs.some((input) => input === name);
  if (own === undefined && !isInput) {
    const near = nearest(name, [...spec.inputs, ...Object.keys({ ...COMMON_OPTIONS, ...spec.options })]);
    if (near !== null) line.meant.add(near);
    const old = oldNameProblem(name, attached ?? next ?? '', { where: `option --${name}`, form: 'option' });
    line.problems.push(old ?? unknownOption(name, verb, near));
    // The next word most likely is its value; counting it as an argument would only add a confusing message.
    return attached === null && next !== null;
  }
  const isSwitch = own !== undefined && own.value === undefined;
  const store = isInput ? line.raw : line.options;
  if (store.has(name)) line.problems.push(wrongOption(name, 'is given twice.'));
  if (isSwitch) {
    if (attached !== null) line.problems.push(wrongOption(name, 'takes no value.'));
    store.set(name, '');
    return false;
  }
  const value = attached ?? next;
  if (value === null || value === '') {
    line.meant.add(name);
    line.problems.push(wrongOption(name, 'needs a value.'));
  }
  store.set(name, value ?? '');
  return attached === null && next !== null;
}

function optionNamed(name: string, spec: VerbSpec): VerbOption | undefined {
  const options: Readonly<Record<string, VerbOption>> = { ...COMMON_OPTIONS, ...spec.options };
  return Object.hasOwn(options, name) ? options[name] : undefined;
}

function unknownOption(name: string, verb: VerbName, near: string | null): Problem {
  return {
    code: 'RB111',
    where: `option --${name}`,
    message: `${verb} has no such option.`,
    fix: near === null ? `Run rollout-bench ${verb} --help for its options.` : `Did you mean --${near}?`,
    severity: 'fatal',
  };
}

function wrongOption(name: string, message: string): Problem {
  return problemOf('RB112', {
    where: `option --${name}`,
    message,
    fix: `Write --${name} once, as --${name} value or --${name}=value where it takes one.`,
  });
}

function countProblems(positional: readonly string[], verb: VerbName, spec: VerbSpec): Problem[] {
  const { min, max, name } = spec.positional ?? { min: 0, max: 0, name: 'argument' };
  if (positional.length >= min && positional.length <= max) return [];
  const wanted =
    max === 0 ? 'takes no arguments' : min === max ? `takes ${min} ${name}` : `takes at least ${min} ${name}`;
  return [
    {
      code: 'RB113',
      where: 'command line',
      message: `${verb} ${wanted}.`,
      value: positional.length === 0 ? 'none' : positional.slice(0, 3).join(' '),
      fix: `Run rollout-bench ${verb} --help for its arguments.`,
      severity: 'fatal',
    },
  ];
}
