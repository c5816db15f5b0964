/** The functions of a file, and which functions of src/ each of them mentions. */
import { importedPath, lineAt, type SourceFile } from './sources.ts';
import { type Node, walk } from './syntax.ts';

export interface FunctionSize {
  readonly path: string;
  readonly name: string;
  /** From its first line to its last one. */
  readonly lines: number;
}

/** Every function that has a body of its own: declarations, methods, and arrows that bear a name. */
export function functionSizes({ path, text, program }: SourceFile): readonly FunctionSize[] {
  const sizes: FunctionSize[] = [];
  walk(program, (node, [parent]) => {
    const name = functionName(node, parent);
    if (name === null) return;
    sizes.push({ path, name, lines: lineAt(text, node.end) - lineAt(text, node.start) + 1 });
  });
  return sizes;
}

function functionName(node: Node, parent: Node | undefined): string | null {
  if (node.type === 'FunctionDeclaration') return node.id?.name ?? 'default';
  if (node.type !== 'ArrowFunctionExpression' && node.type !== 'FunctionExpression') return null;
  if (parent?.type === 'VariableDeclarator' && parent.id.type === 'Identifier') return parent.id.name;
  if (
    (parent?.type === 'MethodDefinition' || parent?.type === 'PropertyDefinition') &&
    parent.key.type === 'Identifier'
  )
    return parent.key.name;
  return null;
}

/**
 * What is read in one go in a file of tests: every function, named or not, and every test and hook from its name to its last
 * line, with the table of its cases. A callback in which tests stand, that of a `describe`, only groups them.
 */
export function testSizes({ path, text, program }: SourceFile): readonly FunctionSize[] {
  const parts: { readonly node: Node; readonly parent: Node | undefined }[] = [];
  const groups = new Set<Node>();
  walk(program, (node, above) => {
    const [parent] = above;
    const isTest = isWholeTest(node, parent);
    const isBody = parent !== undefined && isWholeTest(parent, above[1]);
    if (isTest || (isFunction(node) && !isBody)) parts.push({ node, parent });
    if (isTest) for (const each of above) groups.add(each);
  });
  return parts
    .filter(({ node, parent }) => parent?.type !== 'CallExpression' || !groups.has(node))
    .map(({ node, parent }) => {
      const line = lineAt(text, node.start);
      const name = functionName(node, parent) ?? `line ${line}`;
      return { path, name, lines: lineAt(text, node.end) - line + 1 };
    });
}

const TESTS = new Set(['it', 'test', 'beforeAll', 'beforeEach', 'afterAll', 'afterEach']);

/** The call of `test.each(table)` makes the function that is called with the name and the body: the outer call has it all. */
function isWholeTest(node: Node, parent: Node | undefined): boolean {
  const isCallee = parent !== undefined && 'callee' in parent && parent.callee === node;
  return node.type === 'CallExpression' && !isCallee && TESTS.has(rootName(node) ?? '');
}

function isFunction({ type }: Node): boolean {
  return /^(?:FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/.test(type);
}

/** `test` of `test`, `test.each(…)` and `test.skipIf(…)(…)`. */
function rootName(node: Node): string | null {
  if (node.type === 'CallExpression') return rootName(node.callee);
  if (node.type === 'MemberExpression') return rootName(node.object);
  return node.type === 'Identifier' ? node.name : null;
}

/** One definition at the top of a file and the text below it. */
interface Definition {
  readonly name: string;
  readonly node: Node;
}

function definitions({ program }: SourceFile): readonly Definition[] {
  return program.body.flatMap((statement): readonly Definition[] => {
    const node =
      (statement.type === 'ExportNamedDeclaration' || statement.type === 'ExportDefaultDeclaration') &&
      statement.declaration !== null
        ? statement.declaration
        : statement;
    if (node.type === 'FunctionDeclaration' || node.type === 'ClassDeclaration')
      return [{ name: node.id?.name ?? 'default', node }];
    if (node.type !== 'VariableDeclaration') return [];
    return node.declarations.flatMap(({ id, init }) =>
      id.type === 'Identifier' && init !== null && holdsCode(init) ? [{ name: id.name, node: init }] : [],
    );
  });
}

/** A value that runs code of ours when it is used: a function, or a table of functions. */
function holdsCode(node: Node): boolean {
  return [
    'ArrowFunctionExpression',
    'FunctionExpression',
    'ObjectExpression',
    'ArrayExpression',
    'CallExpression',
    'NewExpression',
  ].includes(node.type);
}

/**
 * Who can call whom, as `path:name`: a definition leads to every definition that its text mentions by name, imported or of the
 * same file, called or handed on to be called. A method that is called through an interface is not followed.
 */
export function calls(files: readonly SourceFile[]): readonly (readonly [string, string])[] {
  const known = new Set(files.flatMap((file) => definitions(file).map(({ name }) => `${file.path}:${name}`)));
  return files.flatMap((file) => {
    const names = namesInScope(file);
    return definitions(file).flatMap(({ name, node }) =>
      mentions(node)
        .map((mentioned) => names.get(mentioned))
        .filter((target) => target !== undefined && known.has(target))
        .map((target) => [`${file.path}:${name}`, target ?? ''] as const),
    );
  });
}

function namesInScope(file: SourceFile): ReadonlyMap<string, string> {
  const names = new Map(definitions(file).map(({ name }) => [name, `${file.path}:${name}`]));
  walk(file.program, (node, [parent]) => {
    const source =
      node.type === 'ImportSpecifier' && parent?.type === 'ImportDeclaration' ? parent.source.value : null;
    if (node.type !== 'ImportSpecifier' || source === null) return;
    const imported = node.imported.type === 'Identifier' ? node.imported.name : String(node.imported.value);
    names.set(node.local.name, `${importedPath(file, { specifier: source })}:${imported}`);
  });
  for (const { specifier, dynamic, names: taken } of file.imports)
    if (dynamic) for (const name of taken) names.set(name, `${importedPath(file, { specifier })}:${name}`);
  return names;
}

function mentions(node: Node): readonly string[] {
  const found: string[] = [];
  walk(node, (each, [parent]) => {
    if (each.type !== 'Identifier') return;
    const isKey =
      parent !== undefined &&
      'key' in parent &&
      parent.key === each &&
      !('shorthand' in parent && parent.shorthand);
    const isMember = parent?.type === 'MemberExpression' && parent.property === each && !parent.computed;
    if (!isKey && !isMember) found.push(each.name);
  });
  return found;
}

/** Top-level functions that stand word for word in more than one file, blanks left aside: `name: file, file`. */
export function copiedFunctions(files: readonly SourceFile[]): readonly string[] {
  const places = new Map<string, { readonly name: string; readonly paths: Set<string> }>();
  for (const file of files) {
    for (const { name, node } of definitions(file)) {
      if (!('body' in node) || node.type === 'ClassDeclaration') continue;
      const text = file.text.slice(node.start, node.end).replaceAll(/\s+/g, '');
      const found = places.get(text) ?? { name, paths: new Set<string>() };
      places.set(text, found);
      found.paths.add(file.path);
    }
  }
  return [...places.values()]
    .filter(({ paths }) => paths.size > 1)
    .map(({ name, paths }) => `${name}: ${[...paths].join(', ')}`);
}
