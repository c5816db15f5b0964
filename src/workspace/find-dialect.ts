import { type Problem, problemOf } from '../errors/rb-error.ts';
import { type Dialect, NOTHING_TELLS, type Reading } from './dialect.ts';
import { isTerminal } from './session-shape.ts';
import { isMapping } from './shape.ts';

/** The mappings of the three documents; left out or null: it could not be read. */
export interface RawDocuments {
  readonly sessions?: Record<string, unknown> | null;
  readonly targets?: Record<string, unknown> | null;
  readonly skillruntimes?: Record<string, unknown> | null;
}

interface Sign {
  readonly dialect: Dialect;
  readonly where: string;
  /** The runtime itself wrote it, when it rewrote the document; else anybody may have. */
  readonly written: boolean;
}

/**
 * Which dialect a workspace speaks, by its keys, since all versions carry the same version texts. What the runtime wrote
 * itself decides before what anybody can have written; two that contradict each other decide nothing. Pure.
 * @param chosen by the user, which wins over all signs.
 */
export function findDialect(documents: RawDocuments, chosen: Dialect | null = null): Reading {
  if (chosen !== null) return { dialect: chosen, by: 'the input `dialect`', conflict: null };
  const signs = [
    ...entriesOf(documents.sessions, 'sessions').flatMap(sessionSigns),
    ...keySigns(documents.targets, 'TARGETS.md', { list: 'targets', key: 'benchmark_capabilities' }),
    ...keySigns(documents.skillruntimes, 'SKILLRUNTIME.md', { list: 'skillruntimes', key: 'benchmark' }),
  ];
  const written = signs.filter((sign) => sign.written);
  const strong = ofDialects(written, ['august', 'july']);
  if (strong.length > 0) return decide(strong);
  return decide([...written, ...signs.filter((sign) => !sign.written)]);
}

function ofDialects(signs: readonly Sign[], dialects: readonly Dialect[]): Sign[] {
  return signs.filter(({ dialect }) => dialects.includes(dialect));
}

function decide(signs: readonly Sign[]): Reading {
  const [first] = signs;
  if (first === undefined) return NOTHING_TELLS;
  const other = signs.find(({ dialect }) => dialect !== first.dialect);
  if (other === undefined) return { dialect: first.dialect, by: first.where, conflict: null };
  const said = ({ dialect, where }: Sign): string => `${where} is of the ${monthOf(dialect)} dialect`;
  return { dialect: null, by: null, conflict: `${said(first)}, ${said(other)}` };
}

/** `July`: for sentences. */
export function monthOf(dialect: Dialect): string {
  return `${dialect.charAt(0).toUpperCase()}${dialect.slice(1)}`;
}

function entriesOf(
  document: Record<string, unknown> | null | undefined,
  list: string,
): { readonly entry: Record<string, unknown>; readonly index: number }[] {
  const entries = document?.[list];
  if (!Array.isArray(entries)) return [];
  return entries.flatMap((entry: unknown, index) => (isMapping(entry) ? [{ entry, index }] : []));
}

function keySigns(
  document: Record<string, unknown> | null | undefined,
  file: string,
  { list, key }: { readonly list: string; readonly key: string },
): Sign[] {
  return entriesOf(document, list)
    .filter(({ entry }) => Object.hasOwn(entry, key))
    .map(({ index }) => ({ dialect: 'july', where: `${file} ${list}[${index}].${key}`, written: false }));
}

/**
 * A rewrite by August leaves `verification.contract_origin`; one by July `verification_profile`, `replan_attempt` and
 * `execution.reset_policy` on every entry, whoever wrote it; June leaves `claimed_by` on what is finished and none of these.
 */
function sessionSigns({ entry, index }: { entry: Record<string, unknown>; index: number }): Sign[] {
  const at = `SESSIONS.md sessions[${index}]`;
  const has = (key: string): boolean => Object.hasOwn(entry, key);
  const stamped = has('updated_at');
  const { execution, verification } = entry;
  const ownReset = isMapping(execution) && Object.hasOwn(execution, 'reset_policy');
  if (isMapping(verification)) {
    const written = stamped && Object.hasOwn(verification, 'contract_origin');
    return [{ dialect: 'august', where: `${at}.verification`, written }, ...blockSign(entry, at)];
  }
  if (ownReset) {
    const written = stamped && has('verification_profile') && has('replan_attempt');
    return [{ dialect: 'july', where: `${at}.execution.reset_policy`, written }, ...blockSign(entry, at)];
  }
  const june = stamped && isTerminal(String(entry['status'])) && has('claimed_by') && !has('verification');
  const sign: Sign[] = june ? [{ dialect: 'june', where: `${at}.claimed_by`, written: true }] : [];
  return [...sign, ...blockSign(entry, at)];
}

function blockSign(entry: Record<string, unknown>, at: string): Sign[] {
  return isMapping(entry['benchmark']) ? [{ dialect: 'july', where: `${at}.benchmark`, written: false }] : [];
}

/**
 * What shows that a workspace is of a runtime before June 2026, whose documents have other names and keys; null when
 * nothing does. Pure.
 * @param skillsFile whether there is a SKILLS.md and no SKILLRUNTIME.md.
 */
export function signOfMay(documents: RawDocuments, skillsFile: boolean): string | null {
  if (skillsFile) return 'SKILLS.md in place of SKILLRUNTIME.md';
  const places = [
    ...entriesOf(documents.sessions, 'sessions')
      .filter(({ entry }) => Object.hasOwn(entry, 'skill_ref') && !Object.hasOwn(entry, 'skillruntime_ref'))
      .map(({ index }) => `SESSIONS.md sessions[${index}].skill_ref`),
    ...entriesOf(documents.targets, 'targets')
      .filter(({ entry }) => Object.hasOwn(entry, 'supported_skills'))
      .map(({ index }) => `TARGETS.md targets[${index}].supported_skills`),
  ];
  return places[0] ?? null;
}

/** RB234: one problem for all that such documents would be refused for. */
export function mayProblem(workspace: string, sign: string): Problem {
  return problemOf('RB234', {
    where: workspace,
    message: `this is a workspace of the runtime of May or early June 2026 (v0.1.1 to v0.1.3), which is not supported: ${sign}.`,
    fix: 'Move to the runtime of 11 June 2026 or later, whose documents have SKILLRUNTIME.md and `skillruntime_ref`.',
    consequence: 'Nothing can be measured or collected here.',
  });
}
