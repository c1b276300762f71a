import { join } from 'node:path';
import type { Change, Entry } from './overlay.ts';

/** Keys and values in the order of their keys. A key starts with the four bytes of its table. */
export interface Engine {
  getBinary(key: Buffer): Buffer | undefined;
  doesExist(key: Buffer): boolean;
  getRange(options: RangeOptions): Iterable<Entry>;
  getKeysCount(options: RangeOptions): number;
  /** Resolves once the changes are on disk. Call it only after the previous write. */
  write(changes: Iterable<Change>): Promise<void>;
  close(): Promise<void>;
}

/** Within one table. */
interface RangeOptions {
  readonly start: Buffer;
  readonly end: Buffer;
  readonly reverse?: boolean;
  readonly exclusiveStart?: boolean;
  readonly inclusiveEnd?: boolean;
  /** Number of leading entries to skip. */
  readonly offset?: number;
}

/** Limit of lmdb-js for keys (DEFAULT_MAX_KEY_SIZE for pages of 4 KiB). */
export const MAX_KEY_BYTES = 1978;

interface LmdbModule {
  open(options: Record<string, unknown>): LmdbRoot;
}

/** Makes a read see the state of a transaction. */
interface Within {
  readonly transaction?: { done(): void };
}

/** The parts of lmdb used by the store: databases with binary keys and values. */
interface Lmdb {
  getBinary(key: Buffer, within: Within): Buffer | undefined;
  getRange(options: RangeOptions & Within): Iterable<Entry>;
  getKeysCount(options: RangeOptions): number;
  put(key: Buffer, value: Buffer): unknown;
  remove(key: Buffer): unknown;
}

interface LmdbRoot extends Lmdb {
  openDB(name: string, options: Record<string, unknown>): Lmdb;
  getKeys(options: Within): Iterable<Buffer>;
  useReadTransaction(): { done(): void };
  batch(action: () => void): Promise<unknown>;
  readonly flushed: PromiseLike<unknown>;
  close(): Promise<void>;
}

/** Opens lmdb in `dir`. Throws with instructions if the optional package isn't installed. */
export async function openEngine(dir: string): Promise<Engine> {
  return new LmdbEngine(await openLmdb(dir, { eventTurnBatching: false, overlappingSync: true }), false);
}

/**
 * One state of the files in `dir`, for reading only, while another process may write to them. As long as it
 * is open, the writer can't reuse pages, so the file grows. `isRunning`: whether a store has the directory;
 * otherwise the files may be those of a machine that lost power, which only a writer repairs.
 */
export async function openFrozenEngine(dir: string, isRunning: boolean): Promise<Engine> {
  const root = await openLmdb(dir, isRunning ? { readOnly: true } : { overlappingSync: true });
  return new LmdbEngine(root, true);
}

/**
 * Each table is a database of lmdb: it fills pages with what is added at the end of a database. In one
 * database, the end of a table shares a page with the start of the next, and every page that splits there
 * leaves one half empty.
 */
class LmdbEngine implements Engine {
  private readonly root: LmdbRoot;
  private readonly tables = new Map<number, Lmdb>();
  private readonly within: Within;

  constructor(root: LmdbRoot, isFrozen: boolean) {
    this.root = root;
    // Opening one ends the iteration. Names end with a zero byte.
    for (const name of [...root.getKeys({})]) this.open(Number.parseInt(String(name), 10));
    this.within = isFrozen ? { transaction: root.useReadTransaction() } : {};
  }

  getBinary(key: Buffer): Buffer | undefined {
    return this.tableOf(key)?.getBinary(key, this.within);
  }

  doesExist(key: Buffer): boolean {
    return this.getBinary(key) !== undefined;
  }

  getRange(options: RangeOptions): Iterable<Entry> {
    const table = this.tableOf(options.reverse ? options.end : options.start);
    return table?.getRange({ ...options, ...this.within }) ?? [];
  }

  getKeysCount(options: RangeOptions): number {
    return this.tableOf(options.start)?.getKeysCount(options) ?? 0;
  }

  async write(changes: Iterable<Change>): Promise<void> {
    if (this.within.transaction) throw new Error('a frozen engine is only for reading');
    const all = [...changes];
    const tables = all.map(({ key }) => this.tableOf(key) ?? this.open(key.readUInt32BE(0)));
    const committed = this.root.batch(() => {
      all.forEach(({ key, value }, at) => {
        const table = tables[at] as Lmdb;
        if (value === null) table.remove(key);
        else table.put(key, value);
      });
    });
    await Promise.all([committed, this.root.flushed]);
  }

  async close(): Promise<void> {
    this.within.transaction?.done();
    await this.root.close();
  }

  private tableOf(key: Buffer): Lmdb | undefined {
    return this.tables.get(key.readUInt32BE(0));
  }

  private open(number: number): Lmdb {
    const table = this.root.openDB(String(number), BINARY);
    this.tables.set(number, table);
    return table;
  }
}

const BINARY = { encoding: 'binary', keyEncoding: 'binary' };
/** Address space for the file, 16 GiB. Otherwise lmdb maps it again as it grows, and keeps the old maps. */
const MAP_BYTES = 2 ** 34;
const MAX_TABLES = 1024;

async function openLmdb(dir: string, options: Record<string, unknown>): Promise<LmdbRoot> {
  let lmdb: LmdbModule;
  try {
    lmdb = (await import('lmdb')) as unknown as LmdbModule;
  } catch (cause) {
    const problem = 'the embedded store needs the package lmdb, which is not installed for this platform';
    throw new Error(`${problem}; set MONGODB_URL instead`, { cause });
  }
  const path = join(dir, 'data.mdb');
  return lmdb.open({ path, noSubdir: true, ...BINARY, mapSize: MAP_BYTES, maxDbs: MAX_TABLES, ...options });
}
