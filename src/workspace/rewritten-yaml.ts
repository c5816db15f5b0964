import { errorOf } from '../errors/rb-error.ts';
import { dumpYaml } from './dump-yaml.ts';
import { OURS } from './runtime-document.ts';

/** A document that was read, as YAML again. Throws RbError RB222 when it has a key that cannot be written. */
export function rewrittenYaml(document: unknown, file: string): string {
  try {
    return dumpYaml(document);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    const message = `it cannot be written again: ${error.message}.`;
    const fix = 'Rename or remove that key.';
    throw errorOf('RB222', { where: file, message, fix, consequence: OURS }, { cause: error });
  }
}
