import { Binary, type Collection, type Db } from 'mongodb';
import { HOUR_MS } from '../incidents/booking-rules.ts';
import { decodeBlock, encodeBlock } from './block-rules.ts';
import { DAY_MS, emptyRollup, mergeRollups, type Rollup } from './rollup-rules.ts';
import type { HourRecord, HourStore } from './storage-ports.ts';
import { upsertAhead } from './upsert-ahead-store.ts';

interface BlockDoc {
  _id: string;
  position: number;
  results: Binary;
}

interface RollupDoc {
  _id: string;
  position: number;
  rollup: Rollup;
}

interface Key {
  monitor_id: string;
  hour: number;
}

/** Collections `blocks` (results), `rollups_1h` and `rollups_1d`; `_id` is `<monitor>:<hours or days since 1970>`. */
export class MongoHourStore implements HourStore {
  readonly #blocks: Collection<BlockDoc>;
  readonly #hours: Collection<RollupDoc>;
  readonly #days: Collection<RollupDoc>;

  constructor(db: Db) {
    this.#blocks = db.collection<BlockDoc>('blocks');
    this.#hours = db.collection<RollupDoc>('rollups_1h');
    this.#days = db.collection<RollupDoc>('rollups_1d');
  }

  async read(keys: Key[]): Promise<HourRecord[]> {
    const ids = keys.map(hourId);
    const [blocks, rollups] = await Promise.all([
      this.#blocks.find({ _id: { $in: ids } }).toArray(),
      this.#hours.find({ _id: { $in: ids } }).toArray(),
    ]);
    const found = new Map<string, HourRecord>();
    for (const { _id, position, rollup } of rollups) found.set(_id, { ...keyOf(_id), position, rows: [], rollup });
    // A block may be ahead of its rollup after a crash between the two; which rows are stored, the block says.
    for (const { _id, position, results } of blocks) {
      found.set(_id, { ...keyOf(_id), position, rows: decodeBlock(results.buffer), rollup: found.get(_id)?.rollup ?? emptyRollup() });
    }
    return [...found.values()];
  }

  async write(records: HourRecord[]): Promise<void> {
    const blocks = records.filter((record) => record.rows.length > 0);
    await upsertAhead(this.#blocks, blocks.map((record): BlockDoc =>
      ({ _id: hourId(record), position: record.position, results: new Binary(encodeBlock(record.rows)) })));
    await upsertAhead(this.#hours, records.map((record): RollupDoc => ({ _id: hourId(record), position: record.position, rollup: record.rollup })));
    await this.#writeDays(records);
  }

  /** A day has its document once its last hour is written; one that is changed by late results is made again. */
  async #writeDays(records: HourRecord[]): Promise<void> {
    const days = new Map(records.map(({ monitor_id, hour, position }) => [`${monitor_id}:${Math.floor(hour / DAY_MS)}`, { monitor_id, hour, position }]));
    const complete = new Set(records.filter(({ hour }) => hour % DAY_MS === DAY_MS - HOUR_MS).map(({ monitor_id, hour }) => `${monitor_id}:${Math.floor(hour / DAY_MS)}`));
    const known = await this.#days.find({ _id: { $in: [...days.keys()] } }, { projection: { _id: 1 } }).toArray();
    for (const { _id } of known) complete.add(_id);
    const docs: RollupDoc[] = [];
    for (const id of complete) {
      const { monitor_id, hour, position } = days.get(id) as HourRecord;
      const start = hour - (hour % DAY_MS);
      const hours = await this.hours(monitor_id, start, start + DAY_MS);
      docs.push({ _id: id, position, rollup: mergeRollups(hours.map((part) => part.rollup)) });
    }
    await upsertAhead(this.#days, docs);
  }

  /** Rollups of the hours from `from` to before `to` (Unix ms), in order. */
  async hours(monitorId: string, from: number, to: number): Promise<{ at: number; rollup: Rollup }[]> {
    return this.#range(this.#hours, monitorId, Math.floor(from / HOUR_MS), Math.ceil(to / HOUR_MS), HOUR_MS);
  }

  /** Rollups of the days from `from` to before `to` (Unix ms) that are complete, in order. */
  async days(monitorId: string, from: number, to: number): Promise<{ at: number; rollup: Rollup }[]> {
    return this.#range(this.#days, monitorId, Math.floor(from / DAY_MS), Math.ceil(to / DAY_MS), DAY_MS);
  }

  /** All results of the hours from `from` to before `to`, in order of their start. */
  async results(monitorId: string, from: number, to: number): Promise<HourRecord['rows']> {
    const ids = rangeOf(monitorId, Math.floor(from / HOUR_MS), Math.ceil(to / HOUR_MS));
    const docs = await this.#blocks.find({ _id: ids }).sort({ _id: 1 }).toArray();
    return docs.flatMap((doc) => decodeBlock(doc.results.buffer));
  }

  async #range(collection: Collection<RollupDoc>, monitorId: string, first: number, end: number, unitMs: number) {
    const docs = await collection.find({ _id: rangeOf(monitorId, first, end) }).sort({ _id: 1 }).toArray();
    return docs.map((doc) => ({ at: splitId(doc._id)[1] * unitMs, rollup: doc.rollup }));
  }
}

/** Ids compare as text: hours since 1970 have six digits until 2084, days five until 2243. */
function rangeOf(monitorId: string, first: number, end: number): { $gte: string; $lt: string } {
  return { $gte: `${monitorId}:${first}`, $lt: `${monitorId}:${end}` };
}

function hourId({ monitor_id, hour }: Key): string {
  return `${monitor_id}:${hour / HOUR_MS}`;
}

function keyOf(id: string): Key {
  const [monitorId, hour] = splitId(id);
  return { monitor_id: monitorId, hour: hour * HOUR_MS };
}

function splitId(id: string): [monitorId: string, number: number] {
  const at = id.lastIndexOf(':');
  return [id.slice(0, at), Number(id.slice(at + 1))];
}
