import { type Document, LineCounter, parseDocument } from 'yaml';
import * as z from 'zod';
import { MAX_USER_YAML_DEPTH, tooDeepLine } from '../base/yaml-depth.ts';
import { EXIT, type Problem, problemOf, RbError } from '../errors/rb-error.ts';
import { type ApprovalSource, SOURCES } from '../model/approval.ts';
import type { Exceptions } from './approvers.ts';

/** What the operator of a host demands, whatever a workflow says. */
export interface OperatorRules {
  /** Purposes that need an approval. */
  readonly purposes: readonly string[];
  /** Runs for a fork's pull request need one. */
  readonly forks: boolean;
  /** Plans of more sessions than this need one; null: no limit. */
  readonly sessionsAbove: number | null;
  /** The only sources that count; null: all. */
  readonly sources: readonly ApprovalSource[] | null;
  /** Accounts that may approve though they made the change, started the run, or are no person. */
  readonly mayApprove: Exceptions;
}

/** A login as GitHub has them, `name[bot]` included. */
const logins = z.array(z.string().regex(/^[A-Za-z0-9](?:[A-Za-z0-9_-]{0,99})(?:\[bot\])?$/)).default([]);

const rulesSchema = z.strictObject({
  purposes: z.array(z.enum(['pr', 'release', 'schedule', 'adhoc'])).default([]),
  forks: z.boolean().default(false),
  'sessions-above': z.int().min(0).nullable().default(null),
  sources: z.array(z.enum(SOURCES)).min(1).nullable().default(null),
  'may-approve': z
    .strictObject({ author: logins, starter: logins, bot: logins })
    .default({ author: [], starter: [], bot: [] }),
});

/** Above this it is not a file of five keys. */
export const MAX_RULES_BYTES = 64 * 1024;

/**
 * Reads `.host/approval.yml`. Pure.
 * @param where how messages call the file
 * @throws RbError RB376 with everything that is wrong: a rule that is not understood must not be a rule that is not there
 */
export function parseOperatorRules(text: string, where: string): OperatorRules {
  const deep = tooDeepLine(text);
  if (deep !== null)
    throw unusable([[`${where}:${deep}`, `nests more than ${MAX_USER_YAML_DEPTH} levels deep`]]);
  const lines = new LineCounter();
  const document = parseDocument(text, {
    version: '1.2',
    schema: 'core',
    lineCounter: lines,
    prettyErrors: false,
  });
  if (document.errors.length > 0) {
    throw unusable(
      document.errors
        .slice(0, 5)
        .map(({ pos, message }) => [`${where}:${lines.linePos(pos[0]).line}`, message]),
    );
  }
  const parsed = rulesSchema.safeParse(valueIn(document, where) ?? {});
  if (!parsed.success)
    throw unusable(
      parsed.error.issues.map(({ path, message }) => [`${where} ${path.join('.')}`.trim(), message]),
    );
  const {
    purposes,
    forks,
    sources,
    'sessions-above': sessionsAbove,
    'may-approve': mayApprove,
  } = parsed.data;
  return { purposes, forks, sources, sessionsAbove, mayApprove };
}

/** Aliases are not resolved: five keys need none. */
function valueIn(document: Document.Parsed, where: string): unknown {
  try {
    return document.toJS({ maxAliasCount: 0 });
  } catch (error) {
    throw unusable([[where, error instanceof Error ? error.message : String(error)]]);
  }
}

function unusable(found: readonly (readonly [string, string])[]): RbError {
  return new RbError(
    EXIT.refused,
    found.map(
      ([where, message]): Problem =>
        problemOf('RB376', {
          where,
          message: `${message.replace(/\.$/, '')}.`,
        }),
    ),
  );
}
