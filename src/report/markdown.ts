import Mustache from 'mustache';
import { errorOf } from '../errors/rb-error.ts';
import { GENERIC_TEMPLATE, LIBERO_TEMPLATE } from './templates/pages.ts';
import { PARTIALS } from './templates/partials.ts';
import { markdownCode, markdownText } from './text/escape.ts';
import { ROUNDING_RULE } from './text/format.ts';
import type { ViewRow } from './view/report-input.ts';
import type { ReportView } from './view/report-view.ts';

/** Text that is Markdown already; everything else is escaped when it is put into a template. */
class Markup {
  readonly markdown: string;
  constructor(markdown: string) {
    this.markdown = markdown;
  }
}

/** Mustache hands values here; sections and numbers arrive as they are in the context. */
function escapeValue(value: unknown): string {
  return value instanceof Markup ? value.markdown : markdownText(String(value));
}

/**
 * The report as Markdown. `template` replaces ours; it has the same context, and every value is escaped for a table
 * cell. Equal views give equal bytes.
 * @throws RbError RB510 for a template that is not valid or asks for unescaped text.
 */
export function renderMarkdown(view: ReportView, template: string | null = null): string {
  const page = template ?? (view.isLibero ? LIBERO_TEMPLATE : GENERIC_TEMPLATE);
  if (template !== null) checkTemplate(template);
  const text = Mustache.render(page, contextOf(view), PARTIALS, { escape: escapeValue });
  return `${text.replace(/\n{3,}/g, '\n\n').trimEnd()}\n`;
}

/**
 * A template is checked before anything is measured: afterwards it would be too late.
 * @throws RbError RB510.
 */
export function checkTemplate(template: string): void {
  const problem = templateProblem(template);
  if (problem === null) return;
  throw errorOf('RB510', {
    where: 'report template',
    message: `The template cannot be used: ${problem}.`,
    fix: 'Close every section, and write {{name}} instead of {{{name}}} or {{& name}}.',
  });
}

function templateProblem(template: string): string | null {
  try {
    const unescaped = unescapedName(Mustache.parse(template));
    return unescaped === null ? null : `it asks for ${unescaped} without escaping`;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/**
 * How many characters a template can write at most: every section as often as the longest list of its name, every value
 * as long as the longest text. A template from outside is asked this before it is rendered, since a few nested sections
 * write more than any disk holds. Pure.
 */
export function templateCost(template: string, view: ReportView): number {
  const size = { lists: new Map<string, number>(), text: 0 };
  measure(contextOf(view), '', size);
  const partial = Object.values(PARTIALS).map((text) => costOf(Mustache.parse(text), size, 0));
  return costOf(Mustache.parse(template), size, Math.max(0, ...partial));
}

interface ContextSize {
  readonly lists: Map<string, number>;
  text: number;
}

function measure(value: unknown, name: string, size: ContextSize): void {
  if (typeof value === 'string') size.text = Math.max(size.text, value.length);
  if (typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) size.lists.set(name, Math.max(size.lists.get(name) ?? 0, value.length));
  for (const [key, member] of Object.entries(value)) measure(member, Array.isArray(value) ? name : key, size);
}

function costOf(tokens: readonly unknown[], size: ContextSize, partial: number): number {
  let cost = 0;
  for (const token of tokens) {
    if (!Array.isArray(token)) continue;
    const [kind, value] = token;
    const inside = Array.isArray(token[4]) ? costOf(token[4], size, partial) : 0;
    if (kind === '#') cost += Math.max(1, size.lists.get(String(value)) ?? 1) * inside;
    else if (kind === '>') cost += partial;
    else cost += kind === 'text' ? String(value).length : kind === 'name' ? size.text : inside;
  }
  return cost;
}

/** Tokens are [kind, name, start, end, children…]; `&` is the kind of unescaped values. */
function unescapedName(tokens: readonly unknown[]): string | null {
  for (const token of tokens) {
    if (!Array.isArray(token)) continue;
    if (token[0] === '&') return String(token[1]);
    const inside = Array.isArray(token[4]) ? unescapedName(token[4]) : null;
    if (inside !== null) return inside;
  }
  return null;
}

const code = (text: string): Markup => new Markup(markdownCode(text));

function rows(list: readonly ViewRow[]): object[] {
  return list.map((row) => ({ label: row.label, value: row.code ? code(row.value) : row.value }));
}

/** A relative path as the target of a Markdown link. */
function linkPath(path: string): string {
  return encodeURI(path).replace(/[()]/g, (found) => `%${found.charCodeAt(0).toString(16)}`);
}

function linkTo(text: string, path: string): Markup {
  return new Markup(`[${markdownCode(text)}](${linkPath(path)})`);
}

/** The names a template may use. */
function contextOf(view: ReportView): Record<string, unknown> {
  const { failures } = view;
  const target = view.setup.find((row) => row.label === 'Target')?.value ?? 'unknown';
  const skillruntime = view.setup.find((row) => row.label === 'Skill runtime')?.value ?? 'unknown';
  return {
    title: view.title,
    benchmark: view.benchmark,
    suite: view.suite,
    target: code(target),
    skillruntime: code(skillruntime),
    time: view.measuredAt,
    runId: code(view.runId),
    verdict: view.verdict,
    verdictLine: view.provisional
      ? `${view.verdict} (before the decision: sealed without a baseline from elsewhere)`
      : view.verdict,
    reasons: view.reasons,
    warnings: view.warnings,
    hasWarnings: view.warnings.length > 0,
    setup: rows(view.setup),
    configuration: rows(view.configuration),
    taskChart: new Markup(linkPath(view.taskChart)),
    hasComparison: view.comparison.length > 0,
    comparison: rows(view.comparison),
    aggregate: view.aggregate,
    timeoutsAreFailures: view.timeoutsAreFailures,
    roundingRule: ROUNDING_RULE,
    arms: view.arms,
    timing: rows(view.time),
    contended: view.contended,
    hasCodes: failures.codes.length > 0,
    codes: failures.codes.map((row) => ({ ...row, code: code(row.code) })),
    atStepLimit: failures.atStepLimit,
    hasEpisodes: failures.episodes.length > 0,
    episodes: failures.episodes.map((row) => ({
      ...row,
      code: code(row.code),
      session: code(row.sessionId),
      artifacts:
        row.artifactLink === null ? code(row.artifactDir) : linkTo(row.artifactDir, row.artifactLink),
    })),
    omitted: failures.omitted > 0 ? failures.omitted : null,
    hasNameless: view.nameless.rows.length > 0,
    nameless: view.nameless.rows.map((row) => ({
      ...row,
      code: code(row.code),
      session: code(row.sessionId),
    })),
    namelessOmitted: view.nameless.omitted > 0 ? view.nameless.omitted : null,
    limits: view.limits,
    reproducibility: rows(view.reproducibility),
  };
}
