import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readSources, type SourceFile } from '../../../.github/scripts/structure/sources.ts';

export const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

/** Every file under src/. */
export const sourceFiles = (): readonly SourceFile[] => readSources(join(ROOT, 'src'));

/** Every file under test/, helpers included. */
export const testFiles = (): readonly SourceFile[] => readSources(join(ROOT, 'test'), 'test/');

/** Which floor each folder of src/ is on, and which folders are pure; docs/architecture.md says what they hold. */
export function floorPlan(): {
  readonly floors: ReadonlyMap<string, number>;
  readonly pure: readonly string[];
} {
  const { floors, pure } = JSON.parse(readFileSync(join(ROOT, '.github/config/floors.json'), 'utf8'));
  return { floors: new Map(Object.entries(floors)), pure };
}

/** Files under version control; null outside of a git checkout. */
export function trackedFiles(): readonly string[] | null {
  try {
    const list = execFileSync('git', ['ls-files', '-z'], { cwd: ROOT, encoding: 'utf8', stdio: 'pipe' });
    return list.split('\0').filter((name) => name !== '');
  } catch {
    return null;
  }
}
