import type { ErrorCode } from '../errors/catalogue/index.ts';
import { type Problem, problemOf } from '../errors/rb-error.ts';
import { shown } from '../files/problems.ts';
import type { Reading } from './dialect.ts';
import { findYamlBlock } from './fenced-block.ts';
import { loadYaml, YamlError } from './pyyaml.ts';
import { check, type Issue, type IssueKind, isMapping, type Shape } from './shape.ts';
import { unknownKey } from './unknown-key.ts';

/** A document that was read: typed entries when the runtime would accept it, and everything that is wrong with it. */
export interface Parsed<T> {
  /** Null when the runtime would refuse the document. Warnings alone leave it. */
  readonly document: T | null;
  readonly problems: readonly Problem[];
}

/** What is the same for the lists of entries in the runtime's documents. */
export interface ListDocument<E> {
  /** File name for messages. */
  readonly file: string;
  readonly version: string;
  /** Top-level key of the list, and the key that names an entry. */
  readonly list: string;
  readonly id: string;
  readonly entry: Shape<E>;
  /** By which dialect's rules `entry` goes. */
  readonly reading: Reading;
}

/** An entry as it stands in the document, beside its typed form. */
export interface Entry<E> {
  readonly value: E;
  readonly raw: Record<string, unknown>;
  /** Position in the list. */
  readonly index: number;
}

const WHOLE_DOCUMENT =
  'The runtime refuses the whole document: no session runs, and nothing says so in a file.';

/** What it means for a benchmark when only we do not take a document. */
export const OURS = 'The runtime reads the document, but nothing can be measured with it.';

export type ReadMapping = { readonly raw: Record<string, unknown> } | { readonly problem: Problem };

/** The mapping in a document's block, or the one problem that keeps it from being read. */
export function readMapping(text: string, file: string): ReadMapping {
  const block = findYamlBlock(text);
  if ('problem' in block) {
    const fix =
      'Write one block that opens with ```yaml, nothing behind it, and closes with ``` at the start of a line.';
    return { problem: documentProblem('RB202', file, `${block.problem}.`, fix) };
  }
  let value: unknown;
  try {
    value = loadYaml(block.body);
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    return { problem: yamlProblem(error, file, block.firstLine) };
  }
  // The runtime takes anything empty for an empty mapping.
  const empty =
    value === null ||
    value === false ||
    value === 0 ||
    value === '' ||
    (Array.isArray(value) && value.length === 0);
  if (empty) return { raw: {} };
  if (isMapping(value)) return { raw: value };
  const fix = 'Write keys with values (`version: …`) at the left edge of the block.';
  return {
    problem: { ...documentProblem('RB204', file, 'the block is not a mapping.', fix), value: shown(value) },
  };
}

/** Why the YAML of a document is not read. `firstLine` is the line of the file in which the YAML begins. */
export function yamlProblem(error: YamlError, file: string, firstLine: number): Problem {
  const where = error.line === null ? file : `${file} line ${firstLine + error.line - 1}`;
  const message = `${error.message}.`;
  if (!error.isOurs)
    return documentProblem('RB203', where, message, 'Mend this line; quote text, indent with blanks.');
  const fix = 'Write the value out, without the alias or the escape.';
  return problemOf('RB222', { where, message, fix, consequence: OURS });
}

/** A document as its text, or as the mapping that was read from it already. */
export type Source = string | ReadMapping;

export function readSource(source: Source, file: string): ReadMapping {
  return typeof source === 'string' ? readMapping(source, file) : source;
}

/** Checks every entry of a document that consists of a version and a list of entries. */
export function checkList<E>(
  raw: Record<string, unknown>,
  kind: ListDocument<E>,
): Parsed<readonly Entry<E>[]> {
  const problems: Problem[] = [...versionProblems(raw, kind.file, kind.version)];
  const list = Object.hasOwn(raw, kind.list) ? raw[kind.list] : [];
  if (!Array.isArray(list)) {
    const fix = `Write \`${kind.list}:\` with one \`- \` per entry, or \`${kind.list}: []\`.`;
    const problem = documentProblem('RB204', `${kind.file} ${kind.list}`, 'it must be a list.', fix);
    return { document: null, problems: [...problems, { ...problem, value: shown(list) }] };
  }
  const entries: Entry<E>[] = [];
  for (const [index, item] of list.entries()) {
    const { value, issues } = check(kind.entry, item, []);
    const where = entryName(kind, index, item);
    problems.push(...issues.map((issue) => issueProblem(issue, where, kind)));
    if (value !== null && isMapping(item)) entries.push({ value, raw: item, index });
  }
  return { document: problems.length === 0 ? entries : null, problems };
}

function versionProblems(raw: Record<string, unknown>, file: string, version: string): Problem[] {
  if (!Object.hasOwn(raw, 'version') || raw['version'] === version) return [];
  const fix = `Write \`version: ${version}\`.`;
  return [
    {
      ...documentProblem('RB204', `${file} version`, `it must be ${version}.`, fix),
      value: shown(raw['version']),
    },
  ];
}

/** `SESSIONS.md sessions[3] (session_id x)`. */
export function entryName(
  kind: Pick<ListDocument<unknown>, 'file' | 'list' | 'id'>,
  index: number,
  item: unknown,
): string {
  const id = isMapping(item) ? item[kind.id] : undefined;
  const name = id === undefined ? '' : ` (${kind.id} ${typeof id === 'string' ? id : shown(id)})`;
  return `${kind.file} ${kind.list}[${index}]${name}`;
}

function documentProblem(code: ErrorCode, where: string, message: string, fix: string): Problem {
  return { code, where, message, fix, consequence: WHOLE_DOCUMENT, severity: 'fatal' };
}

const CODES: Record<IssueKind, ErrorCode> = {
  'unknown-key': 'RB205',
  missing: 'RB206',
  type: 'RB207',
  choice: 'RB208',
  value: 'RB207',
};

interface IssueContext {
  /** Null where the dialects do not differ. */
  readonly reading: Reading | null;
  readonly consequence?: string;
}

/** A problem from what a shape found. `where` names the entry. */
export function issueProblem(issue: Issue, where: string, context: IssueContext): Problem {
  const { reading, consequence = WHOLE_DOCUMENT } = context;
  const path = pathText(issue.path);
  const key = String(issue.path.at(-1) ?? '');
  const text = describe(issue, key, reading);
  return {
    code: issue.code ?? CODES[issue.kind],
    where: path === '' ? where : `${where} ${path}`,
    message: text.message,
    ...(issue.kind === 'missing' ? {} : { value: shown(issue.value) }),
    fix: text.fix,
    consequence,
    severity: 'fatal',
  };
}

/** `execution.max_steps` or `sessions[3].routing`. */
function pathText(path: readonly (string | number)[]): string {
  return path.reduce<string>((text, part) => {
    if (typeof part === 'number') return `${text}[${part}]`;
    const name = /^[A-Za-z_][\w-]*$/.test(part) ? part : JSON.stringify(part);
    return text === '' ? name : `${text}.${name}`;
  }, '');
}

function describe(issue: Issue, key: string, reading: Reading | null): { message: string; fix: string } {
  if (issue.kind === 'unknown-key') return unknownKey(key, issue.expected.replace(/^one of /, ''), reading);
  if (issue.kind === 'missing')
    return { message: `the required key \`${key}\` is missing.`, fix: `Add \`${key}\`.` };
  const message = issue.code === undefined ? `it must be ${issue.expected}.` : `${issue.expected}.`;
  return { message, fix: valueFix(issue) };
}

function valueFix(issue: Issue): string {
  const { value, expected } = issue;
  if (value === null) return 'Leave the key out instead of setting it to null or nothing.';
  const wantsText = expected.startsWith('text') || expected.startsWith('one of "');
  if (typeof value === 'boolean' && wantsText)
    return 'Put it in quotes: without them yes, no, on and off are true or false.';
  if (typeof value !== 'string' && wantsText)
    return 'Put it in quotes: without them it is a number or a date.';
  return 'Correct the value.';
}

/** Problems for entries that share an id, one for each further entry. `live` says whether an entry is still to run. */
export function duplicateProblems<E>(
  entries: readonly Entry<E>[],
  kind: Pick<ListDocument<E>, 'file' | 'list' | 'id'>,
  describeTwin: (first: Entry<E>, second: Entry<E>) => Pick<Problem, 'consequence' | 'severity' | 'fix'>,
): Problem[] {
  const first = new Map<string, Entry<E>>();
  const problems: Problem[] = [];
  for (const entry of entries) {
    const id = String(entry.raw[kind.id]);
    const twin = first.get(id);
    if (twin === undefined) {
      first.set(id, entry);
      continue;
    }
    const where = entryName(kind, entry.index, entry.raw);
    const message = `the id is already that of ${kind.list}[${twin.index}], and the runtime only looks at the first.`;
    problems.push({ code: 'RB209', where, message, value: shown(id), ...describeTwin(twin, entry) });
  }
  return problems;
}
