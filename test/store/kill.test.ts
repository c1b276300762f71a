import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MongoClient, MongoServerError, type Collection } from 'mongodb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { guardDeadSockets } from '../../controller/platform/mongo/mongo.ts';
import { programFile } from '../bundle.mjs';
import { fewOrAll } from '../helpers/few-or-all.ts';
import { randomOf } from '../helpers/random-of.ts';
import { until } from '../helpers/until.ts';
import { StoreProcess } from './store-process.ts';

const ROUNDS = Number(process.env['STORE_KILL_ROUNDS'] ?? fewOrAll(4, 12));
const SEED = Number(process.env['STORE_KILL_SEED'] ?? Date.now() % 1_000_000);
const WRITERS = 6;

interface Row {
  _id: string;
  u: number;
  n: number;
  pad: string;
}

/** Acknowledged rows, and the writes without a response when the store died. */
interface Ledger {
  readonly rows: Map<string, Row>;
  readonly pending: Map<string, Row | null>;
  acknowledged: number;
}

let dir: string;
let bundle: string;

beforeAll(async () => {
  guardDeadSockets();
  dir = mkdtempSync(join(tmpdir(), 'fw-kill-'));
  bundle = await programFile('embedded-mongo');
});

afterAll(() => {
  rmSync(dir, { recursive: true, force: true });
});

/**
 * Inserts, updates that move index keys, deletes, and upserts of whole documents, until the store is down.
 */
async function writer(
  rows: Collection<Row>, ledger: Ledger, name: string, next: () => number,
): Promise<void> {
  const own = (): string[] => [...ledger.rows.keys()].filter((id) => id.startsWith(`${name}:`));
  for (let i = 0; ; i++) {
    const ids = own();
    const pick = ids[Math.floor(next() * ids.length)];
    const kind = next();
    const before = pick === undefined ? undefined : ledger.rows.get(pick);
    const isInsert = before === undefined || kind < 0.5;
    const row: Row = isInsert
      ? {
        _id: `${name}:${String(i).padStart(6, '0')}`, u: next(), n: 0,
        pad: 'x'.repeat(Math.floor(next() * 6000)),
      }
      : { ...before, u: next(), n: before.n + 1 };
    const after = !isInsert && kind > 0.85 ? null : row;
    ledger.pending.set(row._id, after);
    try {
      if (isInsert) await rows.insertOne(row);
      else if (after === null) await rows.deleteOne({ _id: row._id });
      else if (kind < 0.7) {
        await rows.updateOne({ _id: row._id, n: before.n }, { $set: { u: row.u }, $inc: { n: 1 } });
      } else {
        const { _id, ...rest } = row;
        await rows.replaceOne({ _id, n: { $lt: row.n } }, rest, { upsert: true });
      }
    } catch (error) {
      if (error instanceof MongoServerError) throw error;
      return;
    }
    if (after === null) ledger.rows.delete(row._id);
    else ledger.rows.set(row._id, row);
    ledger.pending.delete(row._id);
    ledger.acknowledged++;
  }
}

async function check(rows: Collection<Row>, ledger: Ledger): Promise<void> {
  const found = new Map((await rows.find().toArray()).map((row) => [row._id, row]));
  for (const [id, after] of ledger.pending) {
    const before = ledger.rows.get(id);
    const now = found.get(id);
    // A write without a response happened entirely or not at all.
    expect([before, after ?? undefined], `unanswered ${id}`).toContainEqual(now);
    if (now === undefined) ledger.rows.delete(id);
    else ledger.rows.set(id, now);
  }
  ledger.pending.clear();
  expect(found).toEqual(ledger.rows);
  for (const hint of ['u', 'n_u']) {
    const viaIndex = await rows.find({}, { hint, sort: { _id: 1 } }).toArray();
    expect(viaIndex.map((row) => row._id), `index ${hint}`).toEqual([...found.keys()].sort());
  }
  const [taken] = found.values();
  if (taken === undefined) return;
  await expect(rows.insertOne({ ...taken, _id: 'other' })).rejects.toMatchObject({ code: 11000 });
}

const timeout = 600_000 + ROUNDS * 40_000;
test(`kill -9 during writes loses no acknowledged write (seed ${SEED})`, { timeout }, async () => {
  const next = randomOf(SEED);
  const ledger: Ledger = { rows: new Map(), pending: new Map(), acknowledged: 0 };
  for (let round = 0; round <= ROUNDS; round++) {
    const store = await StoreProcess.start(bundle, '--dir', join(dir, 'data'));
    const client = new MongoClient(store.url);
    try {
      const rows = client.db('kill').collection<Row>('rows');
      await rows.findOne({});
      await rows.createIndexes([
        { key: { u: 1 }, name: 'u', unique: true },
        { key: { n: -1, u: 1 }, name: 'n_u' },
      ]);
      await check(rows, ledger);
      if (round === ROUNDS) break;
      const writers = Array.from({ length: WRITERS }, (_, i) => writer(rows, ledger, `w${i}r${round}`, next));
      const target = ledger.acknowledged + 3 + Math.floor(next() * 150);
      await until(() => ledger.acknowledged >= target, { everyMs: 1, what: 'acknowledged writes' });
      await store.end('SIGKILL');
      // Writers that wait for the store to restart are aborted.
      await client.close();
      await Promise.all(writers);
    } finally {
      await client.close();
      await store.end('SIGKILL');
    }
  }
});

test('a directory can be used by one server at a time, and a clean stop frees it', async () => {
  const data = join(dir, 'locked');
  const first = await StoreProcess.start(bundle, '--dir', data);
  await expect(StoreProcess.start(bundle, '--dir', data)).rejects.toThrow(/in use by process/);
  expect(await first.end('SIGTERM')).toBe(0);
  const second = await StoreProcess.start(bundle, '--dir', data);
  expect(second.url).toBe(first.url);
  expect(await second.end('SIGTERM')).toBe(0);
});
