import { shellWord } from '../base/shell-word.ts';
import { type InputName, inputRow } from './input-table.ts';
import type { Inputs } from './read-inputs.ts';
import { listItems } from './table/kinds.ts';
import { type VerbName, verbSpec } from './verbs.ts';

interface CommandRequest {
  readonly verb: VerbName;
  readonly inputs: Pick<Inputs, 'given'>;
  /** Inputs that are to be others than they were given. */
  readonly change?: Readonly<Partial<Record<InputName, string>>>;
  /** The verb's own options. */
  readonly options?: Readonly<Record<string, string>>;
  /** Makes a path one that means the same in every folder. */
  readonly absolute: (path: string) => string;
}

/** A command line for a shell, with all that was given here and this verb takes; it can be copied anywhere. Pure. */
export function commandLine({ verb, inputs, change = {}, options = {}, absolute }: CommandRequest): string {
  const values = verbSpec(verb).inputs.flatMap((name): string[] => {
    const text = change[name] ?? inputs.given[name];
    return text === undefined ? [] : [`--${name}`, shellWord(placed(name, text, absolute))];
  });
  const own = Object.entries(options).flatMap(([name, text]) => [`--${name}`, shellWord(text)]);
  return ['rollout-bench', verb, ...values, ...own].join(' ');
}

function placed(name: InputName, text: string, absolute: (path: string) => string): string {
  const { kind } = inputRow(name);
  if (kind.name === 'path') return absolute(text.trim());
  return kind.name === 'paths' ? listItems(text).map(absolute).join(',') : text.trim();
}
