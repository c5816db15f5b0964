import { posix } from 'node:path';
import { describe, expect, it } from 'vitest';
import { importsOf, type SourceFile, sourceFiles } from './source-files.ts';

/** Folders whose code must give the same answer for the same arguments, on any machine, at any time. */
const PURE_FOLDERS = ['errors', 'outcome', 'plan', 'report', 'results', 'stats', 'verdict'];

/** Files in these folders that touch the disk on purpose, as the thin shell around the pure part beside them. */
const SHELL_FILES: readonly string[] = [];

const PURE_NODE_MODULES = ['node:crypto'];
const OUTSIDE_WORLD = ['@actions/', 'ws', 'esbuild'];
const IMPURE_CALLS = [
  /\bprocess\./,
  /\bDate\.now\(/,
  /\bnew Date\(\)/,
  /\bMath\.random\(/,
  /\bperformance\.now\(/,
  /\bset(?:Timeout|Interval)\(/,
  /\bfetch\(/,
];

const files = sourceFiles();
const folderOf = (path: string): string => path.split('/')[0] ?? '';
const isPure = (file: SourceFile): boolean =>
  PURE_FOLDERS.includes(folderOf(file.path)) && !SHELL_FILES.includes(file.path);

/** Path of an imported file relative to src/, null for packages and Node's modules. */
function importedFile(file: SourceFile, specifier: string): string | null {
  return specifier.startsWith('.') ? posix.normalize(posix.join(posix.dirname(file.path), specifier)) : null;
}

describe('finding imports', () => {
  it('sees every form', () => {
    const text = [
      "import a from 'a';",
      "import type { B } from './b.ts';",
      "import {\n  c,\n  d,\n} from 'node:fs';",
      "import 'side-effect';",
      "export { e } from './e.ts';",
      "const f = await import('./f.ts');",
    ].join('\n');
    expect(importsOf(text)).toEqual(['a', './b.ts', 'node:fs', 'side-effect', './e.ts', './f.ts']);
  });
});

describe('import boundaries', () => {
  it('there are sources to look at', () => {
    expect(files.length).toBeGreaterThan(20);
    expect(files.filter(isPure).length).toBeGreaterThan(10);
  });

  it('pure code imports nothing that reaches the outside world', () => {
    const offenders = files
      .filter(isPure)
      .flatMap((file) =>
        file.imports
          .filter((name) =>
            name.startsWith('node:')
              ? !PURE_NODE_MODULES.includes(name)
              : OUTSIDE_WORLD.some(
                  (outside) => name === outside || (outside.endsWith('/') && name.startsWith(outside)),
                ),
          )
          .map((name) => `${file.path} imports ${name}`),
      );
    expect(offenders).toEqual([]);
  });

  it('pure code imports pure code only', () => {
    const offenders = files.filter(isPure).flatMap((file) =>
      file.imports.flatMap((name) => {
        const target = importedFile(file, name);
        const allowed = target === null || PURE_FOLDERS.includes(folderOf(target));
        return allowed ? [] : [`${file.path} imports ${target}`];
      }),
    );
    expect(offenders).toEqual([]);
  });

  it('pure code asks neither clock, chance nor environment', () => {
    const offenders = files
      .filter(isPure)
      .flatMap((file) =>
        IMPURE_CALLS.filter((call) => call.test(withoutComments(file.text))).map(
          (call) => `${file.path}: ${call}`,
        ),
      );
    expect(offenders).toEqual([]);
  });

  it('only entries and use cases know the use cases', () => {
    const offenders = files
      .filter((file) => file.path.includes('/') && folderOf(file.path) !== 'app')
      .filter((file) => file.imports.some((name) => importedFile(file, name)?.startsWith('app/')))
      .map((file) => file.path);
    expect(offenders).toEqual([]);
  });

  it('the simulation host for demo and tests is no part of a real run', () => {
    const allowed = (path: string): boolean => folderOf(path) === 'host' || /^app\/demo(-|\.|\/)/.test(path);
    const offenders = files
      .filter((file) => !allowed(file.path))
      .filter((file) => file.imports.some((name) => importedFile(file, name)?.startsWith('host/')))
      .map((file) => file.path);
    expect(offenders).toEqual([]);
  });
});

describe('shape of the sources', () => {
  it('no file is longer than 250 lines', () => {
    const long = files.filter((file) => file.text.split('\n').length - 1 > 250).map((file) => file.path);
    expect(long).toEqual([]);
  });

  it('names are kebab-case and say what is inside', () => {
    const odd = files
      .map((file) => file.path)
      .filter(
        (path) =>
          !/^([a-z0-9]+(-[a-z0-9]+)*\/)*[a-z0-9]+(-[a-z0-9]+)*\.ts$/.test(path) ||
          /(^|\/)(utils?|helpers?|misc|common)(\/|\.ts$)/.test(path),
      );
    expect(odd).toEqual([]);
  });
});

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '');
}
