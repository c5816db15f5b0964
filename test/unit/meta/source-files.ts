import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

export interface Import {
  /** As written, e.g. `node:fs` or `../plan/plan.ts`. */
  readonly specifier: string;
  /** Gone when the program runs. */
  readonly typeOnly: boolean;
  /** `import(…)`: loaded when that line is reached, if ever. */
  readonly dynamic: boolean;
}

/** A source file under src/, by its path relative to it, with `/`. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
  /** Static and dynamic imports. */
  readonly imports: readonly Import[];
}

const IMPORT =
  /(?:^|\n)\s*(?:import|export)\b(?<clause>[^'"`;]*?)\bfrom\s*['"](?<from>[^'"]+)['"]|\bimport\s*\(?\s*['"](?<bare>[^'"]+)['"]/g;

export function sourceFiles(): readonly SourceFile[] {
  const src = join(ROOT, 'src');
  return readdirSync(src, { recursive: true, encoding: 'utf8' })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => path.endsWith('.ts'))
    .sort()
    .map((path) => {
      const text = readFileSync(join(src, path), 'utf8');
      return { path, text, imports: importsOf(text) };
    });
}

export function importsOf(text: string): readonly Import[] {
  return [...text.matchAll(IMPORT)].map(({ 0: whole, groups = {} }) => ({
    specifier: groups['from'] ?? groups['bare'] ?? '',
    typeOnly: /^\s*type\b/.test(groups['clause'] ?? ''),
    dynamic: /^import\s*\(/.test(whole),
  }));
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
