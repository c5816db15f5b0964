import type { EpisodeRecord } from '../model/episode-record.ts';
import { csvField } from './text/escape.ts';

type Column = readonly [name: string, value: (record: EpisodeRecord) => string | number | boolean | null];

const COLUMNS: readonly Column[] = [
  ['position', (record) => record.position],
  ['benchmark', (record) => record.benchmark],
  ['suite', (record) => record.suite],
  ['task_id', (record) => record.taskId],
  ['language', (record) => record.language],
  // A number that stands for no state must not read as one.
  ['init_state_id', (record) => (record.cellsBy === undefined ? record.initStateId : null)],

  ['run_index', (record) => record.runIndex],
  ['arm', (record) => record.arm],
  ['outcome', (record) => record.outcome],
  ['success', (record) => record.success],
  ['success_source', (record) => record.successSource],
  ['steps', (record) => record.steps],
  ['episode_return', (record) => record.episodeReturn],
  ['policy_latency_ms', (record) => record.policyLatencyMs],
  ['policy_calls', (record) => record.policyCalls],
  ['duration_ms', (record) => record.durationMs],
  ['started_at', (record) => record.startedAt],
  ['finished_at', (record) => record.finishedAt],
  ['session_id', (record) => record.sessionId],
  ['attempts', (record) => record.attempts.length],
  ['error_code', (record) => record.errorCode],
  ['error_message', (record) => record.errorMessage],
  ['artifact_dir', (record) => record.artifactDir],
  ['notes', (record) => record.notes.join('; ')],
];

/** episodes.csv: one line per planned cell in planned order, CRLF line ends (RFC 4180); unknown is an empty field. One line a part. */
export function* episodesCsv(records: readonly EpisodeRecord[]): Generator<string> {
  yield `${COLUMNS.map(([name]) => name).join(',')}\r\n`;
  for (const record of records.toSorted((left, right) => left.position - right.position))
    yield `${COLUMNS.map(([, value]) => csvField(value(record))).join(',')}\r\n`;
}
