import * as path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { errorOf, RbError } from '../errors/rb-error.ts';
import { readWithinNow } from '../files/read-within.ts';
import type { ImportedFacts } from '../model/imported-facts.ts';
import type { Plan } from '../model/plan.ts';
import type { RunFacts } from '../model/run-facts.ts';
import { isUnopened } from './formats/vla-eval/store-rules.ts';
import { type ImportedSuite, importedSuites, isProblems } from './imported-suites.ts';
import { importerNamed } from './registry.ts';

/** Folder of a bundle with the files of another tool, and the list of names that are evidence by themselves. */
export const IMPORT_FOLDER = 'import';
export const NAMES_FILE = 'names.txt';

const MAX_NAMES_BYTES = 64 * 1024 ** 2;

/** What the files of a bundle give now, and how that differs from what run.json and plan.json say. */
interface ReadImported {
  readonly suite: ImportedSuite | null;
  /** In words; empty when all is as it was sealed. */
  readonly faults: readonly string[];
}

/**
 * Reads the files of an imported bundle again, with the words of the user that were kept.
 * @throws RbError RB905 or RB906 where a database among them is not opened, so that nothing can be said of its numbers.
 */
export async function readImported(
  bundleDir: string,
  plan: Plan,
  run: Pick<RunFacts, 'fingerprint'> & { readonly imported: ImportedFacts },
): Promise<ReadImported> {
  const { imported: facts } = run;
  const importer = importerNamed(facts.format);
  if (importer === null) return { suite: null, faults: [`this release has no importer ${facts.format}`] };
  try {
    const read = await importer.read({
      sources: facts.files.map(({ name, stored, bytes }) => ({
        name,
        bytes,
        file: path.join(bundleDir, IMPORT_FOLDER, stored),
      })),
      names: facts.names ? namesIn(bundleDir) : [],
      asked: facts.asked,
    });
    const { format, asked } = facts;
    const made = importedSuites({ format, imported: read, asked, purpose: plan.purpose });
    if (isProblems(made)) return { suite: null, faults: made.map(({ message }) => message) };
    const suite = made.find((each) => each.plan.suite === plan.suite) ?? null;
    if (suite === null) return { suite, faults: [`the files hold no suite ${plan.suite}`] };
    return { suite, faults: differences(suite, plan, run) };
  } catch (error) {
    // What could not be opened is not wrong: nothing may be said of the numbers then.
    if (error instanceof RbError && isUnopened(error)) throw error;
    if (error instanceof RbError)
      return { suite: null, faults: error.problems.map(({ message }) => message) };
    throw error;
  }
}

function differences(
  suite: ImportedSuite,
  plan: Plan,
  { fingerprint, imported }: Pick<RunFacts, 'fingerprint'> & { readonly imported: ImportedFacts },
): string[] {
  const { title, version, planned, figures, matching, notes } = imported;
  const told = { title, version, planned, figures, matching, notes };
  const pairs: readonly (readonly [string, unknown, unknown])[] = [
    ['plan', suite.plan, plan],
    ['facts', suite.facts, told],
    ['fingerprint', suite.fingerprint, fingerprint],
  ];
  return pairs
    .filter(([, read, kept]) => !isDeepStrictEqual(read, kept))
    .map(([what]) => `read again, its files give another ${what}`);
}

function namesIn(bundleDir: string): string[] {
  const reading = readWithinNow(bundleDir, [IMPORT_FOLDER, NAMES_FILE], MAX_NAMES_BYTES);
  if (reading.state !== 'present') return [];
  return reading.bytes
    .toString('utf8')
    .split('\n')
    .filter((name) => name !== '');
}

/** RB912 (exit 3): what is sealed must follow from the files that are sealed with it. */
export function importDiffers(faults: readonly string[]): RbError {
  return errorOf('RB912', {
    where: 'imported results',
    message: `The files in the bundle do not give what was imported: ${faults.slice(0, 3).join('; ')}.`,
    fix: 'If this is a copy for publishing, its redaction changed what is counted: publish the whole bundle with artifact-content: full. Otherwise import once more, with nobody writing the files meanwhile.',
  });
}
