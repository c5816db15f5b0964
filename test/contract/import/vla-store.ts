import { execFileSync } from 'node:child_process';

/** A row of `episode_results`; what is left out is as of a success. */
export interface StoreEpisode {
  readonly sid?: string;
  readonly eid: string;
  readonly evalId?: string;
  readonly task?: string | null;
  readonly number?: number | null;
  readonly status?: string | null;
  readonly metrics?: unknown;
  readonly steps?: number;
  readonly seconds?: number;
  readonly context?: unknown;
  readonly reason?: string;
  readonly detail?: string;
}

/** The tables, as a store of vla-eval has them; our own words. */
const TABLES = [
  'CREATE TABLE eval_metadata (eval_id TEXT PRIMARY KEY, safe_name TEXT NOT NULL, metadata TEXT NOT NULL)',
  `CREATE TABLE episode_results (sid TEXT NOT NULL, eid TEXT NOT NULL, eval_id TEXT NOT NULL, task_name TEXT,
   episode_id INTEGER, status TEXT, metrics TEXT, steps INTEGER, elapsed_sec REAL, context TEXT, jsonl_path TEXT,
   failure_reason TEXT, failure_detail TEXT, PRIMARY KEY (sid, eid))`,
  'CREATE INDEX by_eval ON episode_results(eval_id)',
  `CREATE TABLE step_rows (sid TEXT NOT NULL, eid TEXT NOT NULL, step_id INTEGER NOT NULL, fields TEXT NOT NULL,
   PRIMARY KEY (sid, eid, step_id))`,
];

/** Python's own SQLite writes it, as the harness does. `leave`: killed with its last rows beside the file. */
const WRITER = `
import json, os, sqlite3, sys
order = json.load(sys.stdin)
db = sqlite3.connect(order["file"], isolation_level=None)
db.execute("PRAGMA journal_mode=WAL")
for sql, values in order["statements"]:
    db.execute(sql, values)
if order["leave"]:
    os._exit(0)
db.close()
`;

type Statement = readonly [string, readonly (string | number | null)[]];

/** Runs statements on a database that is made with them. */
export function writeDatabase(
  file: string,
  statements: readonly Statement[],
  { leave = false }: { readonly leave?: boolean } = {},
): void {
  execFileSync('python3', ['-c', WRITER], {
    input: JSON.stringify({ file, statements, leave }),
  });
}

export const EMPTY: readonly Statement[] = TABLES.map((sql) => [sql, []]);

const CONFIG = {
  episodes_per_task: 3,
  params: { suite: 'libero_spatial', seed: 7 },
};

export function evaluation(id = 'e', more: Readonly<Record<string, unknown>> = {}): Statement {
  const facts = {
    benchmark: 'LIBEROBenchmark',
    mode: 'sync',
    harness_version: '0.4.0',
    config: CONFIG,
  };
  const metadata = JSON.stringify({
    ...facts,
    server_info: { model: 'pi0' },
    ...more,
  });
  return ['INSERT INTO eval_metadata VALUES (?, ?, ?)', [id, `${id}-name`, metadata]];
}

export function episodeRow(row: StoreEpisode): Statement {
  const { status = 'success', task = 'open_the_drawer', number = 0 } = row;
  return [
    'INSERT INTO episode_results VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
    [
      row.sid ?? 's-0',
      row.eid,
      row.evalId ?? 'e',
      task,
      number,
      status,
      JSON.stringify(row.metrics ?? { success: status === 'success' }),
      row.steps ?? 80,
      row.seconds ?? 9.5,
      JSON.stringify(row.context ?? {}),
      `${row.eid}.jsonl`,
      row.reason ?? null,
      row.detail ?? null,
    ],
  ];
}
