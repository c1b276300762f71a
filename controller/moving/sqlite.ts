import initSqlJs from 'sql.js/dist/sql-wasm-inline.js';
import { FileRefused, type Tables } from './converter.ts';
import type { Fields } from './loose.ts';

const MAGIC = 'SQLite format 3\0';
/** Offset of the two bytes that say how the file is written and read; 2 means through a write-ahead log. */
const FORMAT_OFFSET = 18;
const LOGGED = 2;
const PLAIN = 1;

const MAX_ROWS = 50_000;
const MAX_CELL_BYTES = 65_536;
const MAX_BYTES = 64 * 1024 * 1024;
/** For what SQLite allocates beside the file, bytes. */
const MAX_HEAP_BYTES = 128 * 1024 * 1024;

/** Nothing of the file is executed: no triggers, views, generated columns or functions of its schema. */
const SAFE_MODE = `PRAGMA trusted_schema = OFF; PRAGMA query_only = ON; PRAGMA cell_size_check = ON;
  PRAGMA hard_heap_limit = ${MAX_HEAP_BYTES};`;

export function isDatabase(bytes: Uint8Array): boolean {
  return Buffer.from(bytes.subarray(0, MAGIC.length)).toString('latin1') === MAGIC;
}

/**
 * The rows of those tables of a database that are in `wanted`. Omits values that are neither text nor
 * numbers, or larger than 64 kB. Throws FileRefused for a damaged file, and for too many rows.
 */
export async function readTables(bytes: Uint8Array, wanted: readonly string[]): Promise<Tables> {
  const { Database } = await initSqlJs();
  let database: SqlDatabase | null = null;
  try {
    database = new Database(withoutLog(bytes));
    database.exec(SAFE_MODE);
    const budget = { bytes: MAX_BYTES };
    const names = rows(database, `SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table'`, budget)
      .map(({ name }) => String(name)).filter((name) => wanted.includes(name));
    return new Map(names.map((name) => [name, readTable(database as SqlDatabase, name, budget)]));
  } catch (error) {
    if (error instanceof FileRefused) throw error;
    throw new FileRefused(`The SQLite database cannot be read: ${(error as Error).message.slice(0, 200)}`);
  } finally {
    database?.close();
  }
}

/** A copy that SQLite opens without the log. What only the log contains is missing. */
function withoutLog(bytes: Uint8Array): Uint8Array {
  const copy = Uint8Array.from(bytes);
  for (const at of [FORMAT_OFFSET, FORMAT_OFFSET + 1]) if (copy[at] === LOGGED) copy[at] = PLAIN;
  return copy;
}

interface Budget {
  bytes: number;
}

function readTable(database: SqlDatabase, table: string, budget: Budget): Fields[] {
  // Values above 1 are those of generated columns.
  const columns = rows(database, `SELECT name FROM pragma_table_xinfo(${literal(table)}) WHERE hidden = 0`, budget);
  const values = columns.map(({ name }) => quoted(String(name)))
    .map((name) => `iif(octet_length(${name}) <= ${MAX_CELL_BYTES}, ${name}, NULL) AS ${name}`);
  return values.length === 0 ? [] : rows(database, `SELECT ${values.join()} FROM main.${quoted(table)}`, budget);
}

function rows(database: SqlDatabase, sql: string, budget: Budget): Fields[] {
  const statement = database.prepare(sql);
  try {
    const found: Fields[] = [];
    const names = statement.getColumnNames();
    while (statement.step()) {
      if (found.length >= MAX_ROWS) throw new FileRefused(`A table of the database has more than ${MAX_ROWS} rows`);
      const values = statement.get();
      for (const value of values) budget.bytes -= typeof value === 'string' ? value.length : 8;
      if (budget.bytes < 0) throw new FileRefused('The tables of the database contain more than 64 MB');
      found.push(Object.fromEntries(names.map((name, at) => [name, plain(values[at])])));
    }
    return found;
  } finally {
    statement.free();
  }
}

function plain(value: unknown): unknown {
  return typeof value === 'string' || typeof value === 'number' ? value : null;
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

function literal(text: string): string {
  return `'${text.replaceAll(`'`, `''`)}'`;
}

type SqlDatabase = InstanceType<Awaited<ReturnType<typeof initSqlJs>>['Database']>;
