import { exitTable } from '../errors/exit-meanings.ts';
import { EVERYDAY_INPUTS, INPUT_GROUPS, INPUT_NAMES, type InputName, inputRow } from './input-table.ts';
import { COMMON_OPTIONS } from './verb-options.ts';
import { VERB_SPECS, type VerbName, verbSpec } from './verbs.ts';

const WIDTH = 100;
const INDENT = '      ';
/** Where the words of a short entry begin. */
const SHORT_COLUMN = 24;
/** A command with so few inputs explains them all at once. */
const FEW_INPUTS = 8;

/** What `rollout-bench --help` prints: all commands and the options of every day, in one line each. */
export function generalHelp(): string {
  return [
    'Benchmark robot policies on a simulation host.',
    '',
    'Usage: rollout-bench <command> [options]',
    '',
    'Commands:',
    ...commands(),
    '',
    'Options of every day, also keys of .github/rollout-bench.yml:',
    ...EVERYDAY_INPUTS.map((name) => shortEntry(name)),
    '',
    'rollout-bench <command> --help explains a command, --help all every option; --version prints the version.',
    '',
    'Exit codes:',
    ...exitTable().map(([code, meaning]) => `  ${String(code).padStart(3)}  ${meaning}`),
    '',
  ].join('\n');
}

/** What `rollout-bench --help all` prints: every option, by group. */
export function fullHelp(): string {
  return [
    'All options; each is also a key of the config file. A command takes those that its own help lists.',
    ...groupsOf(INPUT_NAMES).flatMap(([title, names]) => [
      '',
      `${title}:`,
      ...names.flatMap((name) => longEntry(name, false)),
    ]),
    '',
  ].join('\n');
}

function commands(): string[] {
  const width = Math.max(...Object.keys(VERB_SPECS).map((verb) => verb.length));
  return Object.entries(VERB_SPECS).map(([verb, spec]) => `  ${verb.padEnd(width)}  ${spec.summary}`);
}

/**
 * What `rollout-bench <verb> --help` prints: usage, the options of every day, the names of the others by group, examples;
 * with `all`, every option in full.
 */
export function verbHelp(verb: VerbName, all = false): string {
  const spec = verbSpec(verb);
  const own = Object.entries({ ...spec.options, ...COMMON_OPTIONS }).flatMap(([name, option]) => [
    `  --${name}${option.value === undefined ? '' : ` <${option.value}>`}`,
    ...wrapped(option.description),
  ]);
  return [
    spec.summary,
    '',
    `Usage: rollout-bench ${verb}${positionalUsage(verb)} [options]`,
    '',
    ...(all || spec.inputs.length <= FEW_INPUTS
      ? ['Options:', ...longOptions(spec.inputs, spec.required)]
      : shortOptions(verb)),
    ...own,
    '',
    spec.examples.length > 1 ? 'Examples:' : 'Example:',
    ...spec.examples.map((example) => `  ${example}`),
    '',
  ].join('\n');
}

function longOptions(names: readonly InputName[], required: readonly InputName[]): string[] {
  const groups = groupsOf(names);
  return groups.flatMap(([title, own]) => [
    ...(groups.length > 1 && names.length > FEW_INPUTS ? ['', `${title}:`] : []),
    ...own.flatMap((name) => longEntry(name, required.includes(name))),
  ]);
}

function shortOptions(verb: VerbName): string[] {
  const { inputs } = verbSpec(verb);
  const everyday = EVERYDAY_INPUTS.filter((name) => inputs.includes(name));
  const others = groupsOf(inputs.filter((name) => !everyday.includes(name)));
  return [
    'Options of every day:',
    ...everyday.map((name) => shortEntry(name)),
    '',
    `Other options, explained by rollout-bench ${verb} --help all:`,
    ...others.flatMap(([title, names]) => {
      const options = names.map((name) => `--${name}`).join(' ');
      return wrapped(`${title}: ${options}`, '  ', '    ');
    }),
    '',
    'Options of the command:',
  ];
}

/** The inputs below the titles of their groups, without empty groups. */
function groupsOf(names: readonly InputName[]): [title: string, names: readonly InputName[]][] {
  return INPUT_GROUPS.map(([title, group]): [string, readonly InputName[]] => [
    title,
    group.filter((name) => names.includes(name)),
  ]).filter(([, group]) => group.length > 0);
}

/** An input on one line. */
function shortEntry(name: InputName): string {
  return `  ${`--${name}`.padEnd(SHORT_COLUMN)}${inputRow(name).short ?? ''}`.trimEnd();
}

function longEntry(name: InputName, required: boolean): string[] {
  const row = inputRow(name);
  const fallback = row.default ?? row.otherwise;
  const note = required ? ' Required.' : fallback === undefined ? '' : ` Default: ${fallback}.`;
  return [`  --${name} <${row.kind.name}>`, ...wrapped(`${row.description}${note} Example: ${row.example}`)];
}

function positionalUsage(verb: VerbName): string {
  const { positional } = verbSpec(verb);
  if (positional === null) return '';
  const name = `<${positional.name}>${positional.max > 1 ? '...' : ''}`;
  return positional.min === 0 ? ` [${name}]` : ` ${name}`;
}

function wrapped(text: string, first = INDENT, indent = INDENT): string[] {
  const lines: string[] = [];
  let line = first;
  for (const word of text.split(' ')) {
    if (line.length + word.length + 1 > WIDTH && line.trim() !== '') {
      lines.push(line.trimEnd());
      line = indent;
    }
    line += `${word} `;
  }
  return [...lines, line.trimEnd()];
}
