import { exitTable } from '../errors/exit-meanings.ts';
import { inputRow } from './input-table.ts';
import { VERB_SPECS, type VerbName, verbSpec } from './verbs.ts';

const WIDTH = 100;
const INDENT = '      ';

/** What `rollout-bench --help` prints: all commands with one line each. */
export function generalHelp(): string {
  const width = Math.max(...Object.keys(VERB_SPECS).map((verb) => verb.length));
  const commands = Object.entries(VERB_SPECS).map(
    ([verb, spec]) => `  ${verb.padEnd(width)}  ${spec.summary}`,
  );
  return [
    'Benchmark robot policies on a simulation host.',
    '',
    'Usage: rollout-bench <command> [options]',
    '',
    'Commands:',
    ...commands,
    '',
    'rollout-bench <command> --help explains a command; --version prints the version.',
    '',
    'Exit codes:',
    ...exitCodes(),
    '',
  ].join('\n');
}

function exitCodes(): string[] {
  return exitTable().map(([code, meaning]) => `  ${String(code).padStart(3)}  ${meaning}`);
}

/** What `rollout-bench <verb> --help` prints: usage, options with defaults, examples. */
export function verbHelp(verb: VerbName): string {
  const spec = verbSpec(verb);
  const inputs = spec.inputs.flatMap((name) => {
    const row = inputRow(name);
    const fallback = row.default ?? row.otherwise;
    const note = spec.required.includes(name)
      ? ' Required.'
      : fallback === undefined
        ? ''
        : ` Default: ${fallback}.`;
    return [
      `  --${name} <${row.kind.name}>`,
      ...wrapped(`${row.description}${note} Example: ${row.example}`),
    ];
  });
  const options = Object.entries(spec.options).flatMap(([name, option]) => [
    `  --${name}${option.value === undefined ? '' : ` <${option.value}>`}`,
    ...wrapped(option.description),
  ]);
  return [
    spec.summary,
    '',
    `Usage: rollout-bench ${verb}${positionalUsage(verb)} [options]`,
    '',
    'Options:',
    ...inputs,
    ...options,
    '',
    spec.examples.length > 1 ? 'Examples:' : 'Example:',
    ...spec.examples.map((example) => `  ${example}`),
    '',
  ].join('\n');
}

function positionalUsage(verb: VerbName): string {
  const { positional } = verbSpec(verb);
  if (positional === null) return '';
  const name = `<${positional.name}>${positional.max > 1 ? '...' : ''}`;
  return positional.min === 0 ? ` [${name}]` : ` ${name}`;
}

function wrapped(text: string): string[] {
  const lines: string[] = [];
  let line = INDENT;
  for (const word of text.split(' ')) {
    if (line.length + word.length + 1 > WIDTH && line.trim() !== '') {
      lines.push(line.trimEnd());
      line = INDENT;
    }
    line += `${word} `;
  }
  return [...lines, line.trimEnd()];
}
