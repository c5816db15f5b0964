import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { EXIT, type Problem, problemOf, RbError } from '../errors/rb-error.ts';
import { isThere } from '../files/is-there.ts';
import type { InputName } from '../inputs/input-table.ts';
import {
  configPath,
  DEFAULT_CONFIG,
  type Inputs,
  type ReadOptions,
  readInputs,
} from '../inputs/read-inputs.ts';
import { type VerbName, verbSpec } from '../inputs/verbs.ts';
import { reportDirProblem } from '../job/report-folder.ts';

/** One byte more than the parser accepts, so that a file that is too large is refused and not cut. */
const MAX_READ_BYTES = 256 * 1024 + 1;

type RawInputs = Readonly<Record<string, string>>;

interface GatherOptions extends ReadOptions {
  /** Whether the file at the usual place counts when none is named; it does unless said otherwise. */
  readonly usualConfig?: boolean;
}

/** A command line as far as its inputs go. */
interface CommandLine {
  readonly verb: VerbName;
  readonly raw: RawInputs;
  readonly required: readonly InputName[];
  readonly problems: readonly Problem[];
}

/**
 * The inputs of a command line, parsed as `gatherInputs` does.
 * @throws RbError with all problems of the line, of the inputs and of the config file at once
 */
export async function inputsOfLine({ verb, raw, required, problems }: CommandLine): Promise<Inputs> {
  const usualConfig = verbSpec(verb).inputs.includes('config');
  const inputs = await gatherInputs(raw, { required, usualConfig }).catch((error: unknown) => {
    if (error instanceof RbError && problems.length > 0)
      throw new RbError(EXIT.usage, [...problems, ...error.problems]);
    throw error;
  });
  if (problems.length > 0) throw new RbError(EXIT.usage, problems);
  return inputs;
}

/**
 * Parsed inputs, with the config file that they name, or the one at its usual place.
 * @throws RbError with all problems of inputs and file at once
 */
export async function gatherInputs(raw: RawInputs, options: GatherOptions = {}): Promise<Inputs> {
  const inputs = await readAll(raw, options);
  const problem = inputs.reportDir === null ? null : await reportDirProblem(inputs.reportDir);
  if (problem !== null) throw new RbError(EXIT.usage, [problem]);
  return inputs;
}

async function readAll(given: RawInputs, { usualConfig = true, ...options }: GatherOptions): Promise<Inputs> {
  const usual = usualConfig && (await isThere(DEFAULT_CONFIG)) ? DEFAULT_CONFIG : null;
  const path = configPath(given) ?? usual;
  if (path === null) return readInputs(given, undefined, options);
  const raw = { ...given, config: path };
  const config = await readConfig(path);
  if (typeof config !== 'string') throw new RbError(EXIT.usage, [config, ...otherProblems(raw, options)]);
  // Loaded here, since most steps have no such file and a first line must not wait for a YAML parser.
  const { readConfigFile } = await import('../inputs/config-file.ts');
  return readInputs(raw, readConfigFile(config, path), options);
}

async function readConfig(path: string): Promise<string | Problem> {
  try {
    // Non-blocking, or opening a pipe would wait for its writer for ever.
    const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      if (!(await file.stat()).isFile()) throw new Error('it is not a regular file');
      const { buffer, bytesRead } = await file.read(Buffer.alloc(MAX_READ_BYTES), 0, MAX_READ_BYTES, 0);
      return buffer.toString('utf8', 0, bytesRead);
    } finally {
      await file.close();
    }
  } catch (error) {
    return problemOf('RB104', {
      where: 'input config',
      message: `the file cannot be read: ${error instanceof Error ? error.message : String(error)}.`,
      value: JSON.stringify(path),
      fix: 'Give the path of a readable YAML file, relative to the current folder.',
    });
  }
}

/** What is wrong with the inputs themselves; a missing one may stand in the file that could not be read. */
function otherProblems(raw: RawInputs, options: ReadOptions): readonly Problem[] {
  try {
    readInputs(raw, undefined, { ...options, required: [] });
    return [];
  } catch (error) {
    if (error instanceof RbError) return error.problems;
    throw error;
  }
}
