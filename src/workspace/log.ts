import type { Problem } from '../errors/rb-error.ts';
import { shown } from '../files/problems.ts';
import { type Parsed, readMapping } from './runtime-document.ts';
import { bool, check, float, integer, isMapping, mapping, maybe, type ShapeOf, text, time } from './shape.ts';

/** One entry of LOG.md: a session that reached its end with a result. */
interface LogEntry {
  readonly sessionId: string;
  readonly targetId: string | null;
  readonly status: string | null;
  readonly success: boolean | null;
  readonly artifactDir: string | null;
  readonly numSteps: number | null;
  readonly returnValue: number | null;
  readonly errorCode: string | null;
  readonly errorMessage: string | null;
  readonly updatedAt: string | null;
  /** The entry as it stands in the document. */
  readonly raw: Record<string, unknown>;
}

const entry = mapping(
  {
    target_id: maybe(text()),
    status: maybe(text()),
    success: maybe(bool()),
    artifact_dir: maybe(text()),
    num_steps: maybe(integer()),
    return_value: maybe(float()),
    error_code: maybe(text()),
    error_message: maybe(text()),
    updated_at: maybe(time()),
  },
  'ignore',
);

const FORGOTTEN =
  'The runtime starts a new history with the next session that ends, and the old one is gone.';

/**
 * Reads LOG.md. The runtime never stops over this file: what it cannot read it silently replaces, so every problem is a
 * warning, and entries that are no mappings are left out.
 */
export function parseLog(source: string): Parsed<ReadonlyMap<string, LogEntry>> {
  const read = readMapping(source, 'LOG.md');
  if ('problem' in read)
    return { document: null, problems: [{ ...read.problem, consequence: FORGOTTEN, severity: 'warning' }] };
  const { version, sessions } = read.raw;
  if (version !== 'runtime_session_history_v1' || !isMapping(sessions))
    return { document: null, problems: [notHistory(version)] };
  const problems: Problem[] = [];
  const entries = new Map<string, LogEntry>();
  for (const [id, raw] of Object.entries(sessions)) {
    const { value } = check(entry, raw, []);
    if (value === null || !isMapping(raw)) {
      const where = `LOG.md sessions.${id}`;
      problems.push({
        code: 'RB207',
        where,
        message: 'the entry cannot be used.',
        fix: 'Remove it.',
        severity: 'warning',
      });
    } else entries.set(id, logEntry(id, value, raw));
  }
  return { document: entries, problems };
}

function notHistory(version: unknown): Problem {
  return {
    code: 'RB204',
    where: 'LOG.md version',
    message: 'it is not a history of sessions (version runtime_session_history_v1 and a mapping `sessions`).',
    value: shown(version),
    fix: 'Move the file away if it is not needed.',
    consequence: FORGOTTEN,
    severity: 'warning',
  };
}

function logEntry(id: string, value: ShapeOf<typeof entry>, raw: Record<string, unknown>): LogEntry {
  return {
    sessionId: id,
    targetId: value.target_id,
    status: value.status,
    success: value.success,
    artifactDir: value.artifact_dir,
    numSteps: value.num_steps,
    returnValue: value.return_value,
    errorCode: value.error_code,
    errorMessage: value.error_message,
    updatedAt: value.updated_at,
    raw,
  };
}
