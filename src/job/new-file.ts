import { mkdir, writeFile } from 'node:fs/promises';
import * as path from 'node:path';
import { errorCode } from '../base/error-code.ts';
import { usageProblem } from './text-option.ts';

/**
 * Writes the file that the option `--out` names, with its folders; never over another one.
 * @throws RbError RB112 (exit 2) when it exists or cannot be written.
 */
export async function writeNewFile(out: string, text: string): Promise<void> {
  try {
    await mkdir(path.dirname(path.resolve(out)), { recursive: true });
    await writeFile(out, text, { flag: 'wx' });
  } catch (error) {
    const code = errorCode(error);
    if (code === null) throw error;
    const why = code === 'EEXIST' ? 'the file exists.' : `the file cannot be written (${code}).`;
    throw usageProblem('option --out', why, 'Name a new file, or remove the old one first.');
  }
}
