import type { Kind } from './kinds.ts';

/** Values of the input `mode`. */
export type Mode = 'run' | 'report' | 'all' | 'qualify' | 'approve';

/**
 * Who meets an input. `everyday`: most workflows have it, and the short help shows it. `input`: belongs to one job or
 * step of a workflow, so action.yml has it too. `setting`: belongs to the repository or its host, so it is a key of the
 * config file and an option of the command line, and no input of the action.
 */
type Level = 'everyday' | 'input' | 'setting';

/** One input: everything that its parser, action.yml, the README and `--help` need to know. */
interface InputRow<T, Key extends string, Default extends string | null> {
  readonly kind: Kind<T>;
  /** Name of the value in `Inputs`, with its unit where it has one. */
  readonly key: Key;
  readonly level: Level;
  /** A few words for the short help, which shows what is of every day. */
  readonly short?: string;
  /** Text that is parsed when neither input nor config file gives one; null: the value is null. */
  readonly default: Default;
  /** What holds without a value, where `default` does not say it. */
  readonly otherwise?: string;
  readonly description: string;
  /** A value that is accepted. */
  readonly example: string;
  readonly modes: readonly Mode[];
  /** Default of action.yml alone; only for what a config file must never hold. */
  readonly actionDefault?: string;
}

export type AnyRow = InputRow<unknown, string, string | null>;

export type ValueOf<Row> =
  Row extends InputRow<infer T, infer _Key, infer Default> ? (Default extends null ? T | null : T) : never;

/** Types a row from its literals; every mode unless the row names some, and a setting unless it says otherwise. */
export function input<T, const Key extends string, const Default extends string | null>(
  kind: Kind<T>,
  row: Omit<InputRow<T, Key, Default>, 'kind' | 'modes' | 'level'> &
    Partial<Pick<InputRow<T, Key, Default>, 'modes' | 'level'>>,
): InputRow<T, Key, Default> {
  return { modes: ['run', 'report', 'all'], level: 'setting', ...row, kind };
}
