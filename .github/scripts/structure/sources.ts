/** The files under src/ as the parser of the bundler sees them: what each imports, and what it offers. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { type ESTree, parseSync } from 'vite';
import { type Node, walk, withoutWrapping } from './syntax.ts';

export interface Import {
  /** As written, e.g. `node:fs` or `../plan/plan.ts`. */
  readonly specifier: string;
  /** Gone when the program runs. */
  readonly typeOnly: boolean;
  /** `import(…)`: loaded when that line is reached, if ever. */
  readonly dynamic: boolean;
  /** What is taken, by the names of the file that has them; `*` stands for all of them. */
  readonly names: readonly string[];
  readonly line: number;
}

type Parsed = ReturnType<typeof parseSync>;

/** A source file, by its path relative to src/, with `/`. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
  /** Static and dynamic imports, and what is exported from another file. */
  readonly imports: readonly Import[];
  /** Names that it declares and exports, types included. */
  readonly exports: readonly string[];
  readonly program: ESTree.Program;
}

/** @param under where the paths of the files begin; left out: at the folder itself. */
export function readSources(folder: string, under = ''): readonly SourceFile[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => path.endsWith('.ts'))
    .sort()
    .map((path) => readSource(`${under}${path}`, readFileSync(join(folder, path), 'utf8')));
}

/** @throws Error with the place, for a text that is no TypeScript */
export function readSource(path: string, text: string): SourceFile {
  const parsed = parseSync(path, text);
  const { module, errors } = parsed;
  if (errors.length > 0) throw new Error(`${path}: ${errors.map(({ message }) => message).join('; ')}`);
  const exports = module.staticExports.flatMap(({ entries }) =>
    entries.flatMap(({ moduleRequest, exportName }) =>
      moduleRequest === null ? [exportName.name ?? 'default'] : [],
    ),
  );
  return {
    path,
    text,
    imports: [
      ...imported(module).map(({ at, ...found }) => ({ ...found, line: lineAt(text, at) })),
      // The tree is made when it is asked for, and few files have such imports.
      ...(/\bimport\s*\(/.test(text) ? lateImports(parsed.program, text) : []),
    ],
    exports: [...new Set(exports)],
    get program() {
      return parsed.program;
    },
  };
}

export const lineAt = (text: string, offset: number): number => text.slice(0, offset).split('\n').length;

/** Path of an imported file relative to src/, null for packages and Node's modules. */
export function importedPath(
  { path }: Pick<SourceFile, 'path'>,
  { specifier }: Pick<Import, 'specifier'>,
): string | null {
  if (!specifier.startsWith('.')) return null;
  // What stands beside src/ comes back into it.
  return posix.normalize(posix.join(posix.dirname(path), specifier)).replace(/^\.\.\/src\//, '');
}

interface Found extends Omit<Import, 'line'> {
  /** Offset in the text. */
  readonly at: number;
}

/** What is imported, or exported from another file, at the top of a file. */
function imported({ staticImports, staticExports }: Parsed['module']): readonly Found[] {
  const fixed = staticImports.map(({ start, moduleRequest, entries }) => ({
    specifier: moduleRequest.value,
    typeOnly: entries.length > 0 && entries.every(({ isType }) => isType),
    dynamic: false,
    names: entries.map(({ importName: { kind, name } }) => name ?? (kind === 'Default' ? 'default' : '*')),
    at: start,
  }));
  const handedOn = staticExports.flatMap(({ start, entries }) =>
    entries.flatMap(({ moduleRequest, importName, isType }) => {
      const names = [importName.name ?? '*'];
      const specifier = moduleRequest?.value ?? null;
      return specifier === null ? [] : [{ specifier, typeOnly: isType, dynamic: false, names, at: start }];
    }),
  );
  return [...fixed, ...handedOn];
}

/** `import(…)` in expressions and in types. */
function lateImports(program: Node, text: string): readonly Import[] {
  const imports: Import[] = [];
  walk(program, (node, above) => {
    if (node.type !== 'ImportExpression' && node.type !== 'TSImportType') return;
    const { source } = node;
    if (source.type !== 'Literal' || typeof source.value !== 'string') return;
    const isType = node.type === 'TSImportType';
    imports.push({
      specifier: source.value,
      typeOnly: isType,
      dynamic: !isType,
      names: isType ? ['*'] : takenFrom(withoutWrapping(above)[0]),
      line: lineAt(text, node.start),
    });
  });
  return imports;
}

/** The names that are taken from a module where it is loaded: `const { a, b: c } = await import(…)`, `(await import(…)).a`. */
function takenFrom(where: Node | undefined): readonly string[] {
  if (where?.type === 'MemberExpression' && !where.computed) return [nameOf(where.property)];
  if (where?.type === 'VariableDeclarator' && where.id.type === 'ObjectPattern')
    return where.id.properties.map((property) => (property.type === 'Property' ? nameOf(property.key) : '*'));
  return ['*'];
}

const nameOf = (name: Node): string => (name.type === 'Identifier' ? name.name : '*');
