/** A table that is read, and nothing else of the database is. */
export interface StoreTable {
  readonly name: string;
  readonly columns: readonly string[];
  /** Rows; one more is refused. */
  readonly most: number;
  readonly needed: boolean;
}

/** What the worker is told. */
export interface StoreOrder {
  readonly file: string;
  readonly tables: readonly StoreTable[];
  /** Bytes of one value; a larger one arrives as a blob, which no reader of rows takes. */
  readonly maxValue: number;
  /** Characters of all values. */
  readonly maxTotal: number;
}

/**
 * The program of the worker, as text: it stands in no file of its own, and Node 20, which has no `node:sqlite`, never
 * loads it. It only runs the statements below. A file may define views, triggers, virtual tables and computed columns,
 * which run code of its author when they are read: any of them is refused. Every row comes back to JavaScript, so that
 * the worker can be ended between two rows; nothing is sorted or joined by the database.
 */
export const STORE_WORKER = `
const { parentPort, workerData } = require('node:worker_threads');
const PLAIN = /^CREATE\\s+(?:TABLE|INDEX|UNIQUE\\s+INDEX)\\s/i;
const quoted = (name) => '"' + name.replaceAll('"', '""') + '"';
function checkSchema(db) {
  let entries = 0;
  for (const { name, sql } of db.prepare('SELECT name, sql FROM sqlite_schema').iterate()) {
    entries += 1;
    if (entries > 1000) throw new Error('it has more than 1000 tables and indexes');
    if (sql !== null && !PLAIN.test(sql)) throw new Error('it holds ' + String(name).slice(0, 80) + ', which is neither a table nor an index');
  }
}
function read(db, { name, columns, most, needed }, budget) {
  const known = new Map(db.prepare('PRAGMA table_xinfo(' + quoted(name) + ')').all().map((column) => [column.name, column.hidden]));
  if (known.size === 0 && !needed) return [];
  if (known.size === 0) throw new Error('it has no table ' + name);
  for (const column of columns)
    if (known.get(column) !== 0) throw new Error('its table ' + name + ' has no plain column ' + column);
  const values = columns.map((column) => 'iif(octet_length(' + quoted(column) + ') > ' + workerData.maxValue + ", x'00', " + quoted(column) + ') AS ' + quoted(column));
  const rows = [];
  for (const row of db.prepare('SELECT ' + values.join(', ') + ' FROM ' + quoted(name) + ' LIMIT ' + (most + 1)).iterate()) {
    for (const value of Object.values(row)) budget.left -= typeof value === 'string' ? value.length : 8;
    if (budget.left < 0) throw new Error('its texts are larger than ' + workerData.maxTotal + ' characters');
    rows.push({ ...row });
  }
  if (rows.length > most) throw new Error('its table ' + name + ' has more than ' + most + ' rows');
  return rows;
}
async function main() {
  const { DatabaseSync } = await import('node:sqlite');
  const db = new DatabaseSync(workerData.file, { readOnly: true, allowExtension: false, defensive: true, enableDoubleQuotedStringLiterals: false });
  db.exec('PRAGMA query_only = ON; PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0;');
  checkSchema(db);
  const budget = { left: workerData.maxTotal };
  const tables = Object.fromEntries(workerData.tables.map((table) => [table.name, read(db, table, budget)]));
  db.close();
  return tables;
}
main().then(
  (tables) => parentPort.postMessage({ tables }),
  (error) => parentPort.postMessage({ fault: error instanceof Error ? error.message : String(error) }),
);
`;
