import { Binary, type Collection, type Db } from 'mongodb';
import { HOUR_MS } from '../incidents/booking-rules.ts';
import { decodeBlock, encodeBlock } from './block-rules.ts';
import { DAY_MS, emptyRollup, mergeRollups, type Rollup } from './rollup-rules.ts';
import type { DayKey, HourKey, HourRecord, HourStore } from './storage-ports.ts';
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

  async read(keys: HourKey[]): Promise<HourRecord[]> {
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
  }

  async knownDays(days: DayKey[]): Promise<DayKey[]> {
    const found = await this.#days.find({ _id: { $in: days.map(dayId) } }, { projection: { _id: 1 } }).toArray();
    const known = new Set(found.map((doc) => doc._id));
    return days.filter((day) => known.has(dayId(day)));
  }

  async rollDays(days: (DayKey & { position: number })[]): Promise<void> {
    const docs: RollupDoc[] = [];
    for (const { monitor_id, day, position } of days) {
      const hours = await this.#hours.find({ _id: rangeOf(monitor_id, day / HOUR_MS, (day + DAY_MS) / HOUR_MS) }).toArray();
      docs.push({ _id: dayId({ monitor_id, day }), position, rollup: mergeRollups(hours.map((doc) => doc.rollup)) });
    }
    await upsertAhead(this.#days, docs);
  }

  /** Rollups of these hours that are written, with the journal entry that each is of. */
  async hours(keys: HourKey[]): Promise<(HourKey & { position: number; rollup: Rollup })[]> {
    const docs = await this.#hours.find({ _id: { $in: keys.map(hourId) } }).toArray();
    return docs.map(({ _id, position, rollup }) => ({ ...keyOf(_id), position, rollup }));
  }

  /** Rollups of these days that are written. */
  async days(keys: DayKey[]): Promise<(DayKey & { rollup: Rollup })[]> {
    const docs = await this.#days.find({ _id: { $in: keys.map(dayId) } }).toArray();
    return docs.map(({ _id, rollup }) => ({ monitor_id: splitId(_id)[0], day: splitId(_id)[1] * DAY_MS, rollup }));
  }

  /** All results of the hours from `from` to before `to`, in order of their start. */
  async results(monitorId: string, from: number, to: number): Promise<HourRecord['rows']> {
    const ids = rangeOf(monitorId, Math.floor(from / HOUR_MS), Math.ceil(to / HOUR_MS));
    const docs = await this.#blocks.find({ _id: ids }).sort({ _id: 1 }).toArray();
    return docs.flatMap((doc) => decodeBlock(doc.results.buffer));
  }
}

/** Ids compare as text: hours since 1970 have six digits until 2084, days five until 2243. */
function rangeOf(monitorId: string, first: number, end: number): { $gte: string; $lt: string } {
  return { $gte: `${monitorId}:${first}`, $lt: `${monitorId}:${end}` };
}

function dayId({ monitor_id, day }: DayKey): string {
  return `${monitor_id}:${day / DAY_MS}`;
}

function hourId({ monitor_id, hour }: HourKey): string {
  return `${monitor_id}:${hour / HOUR_MS}`;
}

function keyOf(id: string): HourKey {
  const [monitorId, hour] = splitId(id);
  return { monitor_id: monitorId, hour: hour * HOUR_MS };
}

function splitId(id: string): [monitorId: string, number: number] {
  const at = id.lastIndexOf(':');
  return [id.slice(0, at), Number(id.slice(at + 1))];
}
