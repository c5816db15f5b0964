import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { PyFloat } from '../pyyaml/values.ts';
import { renderDocument } from '../workspace/fenced-block.ts';
import type { FreeMap } from './loose-values.ts';
import { timeStamp } from './now.ts';
import { WatchdogCrash } from './python-error.ts';
import { blockOf, CachedDocument, readText, writeAtomically, writeDocument } from './runtime-document.ts';
import { writeRuntimeJson } from './runtime-json.ts';
import type { Dialect, Session, SessionResult } from './session-schema.ts';
import { asMap, NdArray } from './wire.ts';
import { writeRuntimeYaml } from './yaml-writer.ts';

const HISTORY = 'runtime_session_history_v1';
const SUMMARY_KEYS = ['benchmark_episode', 'episode_summary', 'benchmark'];

/** How many sessions LOG.md keeps, and the folder for older ones. */
interface HistoryBound {
  readonly most: number;
  readonly folder: string;
}

/** Writes what an episode leaves behind: episode.json, LOG.md and LESSONS.md. None of these has a lock. */
export class ResultWriter {
  readonly #workspace: string;
  readonly #dialect: Dialect;
  readonly #fsync: boolean;
  readonly #logPath: string;
  readonly #log: CachedDocument<FreeMap>;
  readonly #texts = new WeakMap<object, string>();
  readonly #bound: HistoryBound | null;

  /** @param bound left out: LOG.md grows for ever, as the original's. */
  constructor(workspace: string, dialect: Dialect, fsync: boolean, bound: HistoryBound | null = null) {
    this.#bound = bound;
    this.#workspace = workspace;
    this.#dialect = dialect;
    this.#fsync = fsync;
    this.#logPath = join(workspace, 'LOG.md');
    this.#log = new CachedDocument(this.#logPath, this.#logPath, (block) => block);
  }

  /** Writes `artifacts/runtime/<session id>/episode.json`; returns the folder's path from the workspace. */
  writeEpisode(session: Session, ids: { targetId: string; skillId: string }, result: SessionResult): string {
    const folder = `artifacts/runtime/${session.session_id}`;
    const final = asMap(result.metadata['final_status']) ?? {};
    const benchmark = SUMMARY_KEYS.map((key) => asMap(final[key])).find((each) => each !== null) ?? null;
    const episode = {
      session_id: session.session_id,
      target_id: ids.targetId,
      skillruntime_id: ids.skillId,
      benchmark,
      success: result.success,
      status: result.status,
      num_steps: result.num_steps,
      return_value: result.return_value,
      policy_latency_ms: { mean: result.mean_policy_latency_ms },
      error_code: result.error_code,
      error_message: result.error_message,
      ...(this.#dialect === 'august'
        ? { execution: result.execution, verification: result.verification }
        : {}),
      metadata: nested(result.metadata),
    };
    writeAtomically(join(this.#workspace, folder, 'episode.json'), writeRuntimeJson(episode), this.#fsync);
    return folder;
  }

  /** Adds the episode to LOG.md; an earlier episode of the same id is overwritten in its place. */
  writeHistory(session: Session, targetId: string, result: SessionResult): void {
    const history = this.#readHistory();
    const summary = {
      session_id: session.session_id,
      target_id: targetId,
      status: result.status,
      success: result.success === true,
      artifact_dir: result.artifact_dir ?? '',
      num_steps: result.num_steps,
      return_value: result.return_value,
      mean_policy_latency_ms: result.mean_policy_latency_ms,
      error_code: result.error_code,
      error_message: result.error_message,
      trace_path: result.trace_path,
      updated_at: timeStamp('+00:00'),
    };
    const sessions = this.#bounded({ ...asMap(history['sessions']), [session.session_id]: present(summary) });
    const update = {
      version: HISTORY,
      updated_at: timeStamp('+00:00'),
      last_session_id: session.session_id,
      last_target_id: targetId,
      last_status: result.status,
      last_success: result.success === true,
      last_artifact_dir: result.artifact_dir ?? '',
      sessions,
    };
    this.#writeHistory({ ...history, ...update });
  }

  /** Moves the older half away when there are too many: a file for each move, so that no session pays for all earlier ones. */
  #bounded(sessions: FreeMap): FreeMap {
    const entries = Object.entries(sessions);
    if (this.#bound === null || entries.length <= this.#bound.most) return sessions;
    const older = entries.slice(0, Math.floor(entries.length / 2));
    const document = {
      version: HISTORY,
      updated_at: timeStamp('+00:00'),
      sessions: Object.fromEntries(older),
    };
    const name = `LOG.${document.updated_at.replace(/\D/g, '').slice(0, 20)}.md`;
    writeDocument(join(this.#bound.folder, name), 'Runtime Session History', document, this.#fsync);
    return Object.fromEntries(entries.slice(older.length));
  }

  /** The history so far; a file the runtime cannot read is silently started over, as the real one does. */
  #readHistory(): FreeMap {
    try {
      const history = this.#log.read();
      if (history['version'] === HISTORY) return history;
    } catch (error) {
      if (!(error instanceof WatchdogCrash)) throw error;
    }
    return { version: HISTORY, sessions: {} };
  }

  /** Written key by key, because the text of an earlier episode never changes and LOG.md only grows. */
  #writeHistory(history: FreeMap): void {
    const parts = Object.entries(history).map(([key, value]) => {
      const map = key === 'sessions' ? Object.entries(asMap(value) ?? {}) : [];
      return map.length === 0
        ? writeRuntimeYaml({ [key]: value })
        : `sessions:\n${map.map(this.#entryText).join('')}`;
    });
    const text = renderDocument('Runtime Session History', parts.join(''));
    writeAtomically(this.#logPath, text, this.#fsync);
    this.#log.remember(text, history);
  }

  readonly #entryText = ([id, entry]: [string, unknown]): string => {
    const isObject = typeof entry === 'object' && entry !== null;
    const known = isObject ? this.#texts.get(entry) : undefined;
    if (known !== undefined) return known;
    const text = writeRuntimeYaml({ sessions: { [id]: entry } }).slice('sessions:\n'.length);
    if (isObject) this.#texts.set(entry, text);
    return text;
  };

  /** Adds a rejection to LESSONS.md. */
  writeLesson(
    session: Session,
    ids: { targetId: string; skillId: string },
    summary: string,
    report: FreeMap,
  ): void {
    const path = join(this.#workspace, 'LESSONS.md');
    const known = readOptional(path)?.['lessons'];
    const lessons = Array.isArray(known) ? known : [];
    const lesson = {
      id: `lesson_${session.session_id}_${lessons.length + 1}`,
      timestamp: timeStamp('+00:00'),
      session_id: session.session_id,
      phase: 'preflight_checking',
      error_code: 'RUNTIME_PREFLIGHT_FAILED',
      target_id: ids.targetId,
      skillruntime_id: ids.skillId,
      summary,
      metadata: report,
    };
    const document = {
      version: 'runtime_lessons_v1',
      updated_at: timeStamp('+00:00'),
      lessons: [...lessons, lesson],
    };
    writeDocument(path, 'Runtime Lessons', document, this.#fsync);
  }
}

function readOptional(path: string): FreeMap | null {
  if (!existsSync(path)) return null;
  try {
    return blockOf(readText(path, path), path);
  } catch (error) {
    if (error instanceof WatchdogCrash) return null;
    throw error;
  }
}

function present(record: FreeMap): FreeMap {
  return Object.fromEntries(
    Object.entries(record).filter(([, value]) => value !== null && value !== undefined),
  );
}

/** Arrays become nested lists: a late timeout writes every pixel of the last pictures this way. */
function nested(value: unknown): unknown {
  if (value instanceof NdArray) return rows(value, value.numbers() ?? [], value.shape);
  if (value instanceof PyFloat || typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(nested);
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, nested(item)]));
}

function rows(array: NdArray, values: readonly number[], shape: readonly number[]): unknown {
  const isFloat = array.dtype.startsWith('<f');
  if (shape.length <= 1) return values.map((value) => (isFloat ? new PyFloat(value) : value));
  const [count = 0, ...inner] = shape;
  const size = values.length / Math.max(1, count);
  return Array.from({ length: count }, (_, index) =>
    rows(array, values.slice(index * size, (index + 1) * size), inner),
  );
}
