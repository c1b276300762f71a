import { Binary, type Collection, type Db } from 'mongodb';
import { HOUR_MS } from '../../verdicts/booking-rules.ts';
import { decodeBlock, encodeBlock } from './block-codec.ts';
import { ResultColumns } from './result-columns.ts';
import { decodeRollup, decodeTotals, encodeRollup } from './rollup-codec.ts';
import { DAY_MS, mergeRollups, type Rollup, type Totals } from './rollup.ts';
import type { DayKey, HourKey, HourRecord, HourResults } from './hour-record.ts';
import { upsertAhead } from '../../platform/mongo/upsert-ahead.ts';

interface HourDoc {
  _id: string;
  position: number;
  rollup: Binary;
  /** The hour's results; without any, or once they are past their retention, it is not there. */
  results?: Binary;
}

type DayDoc = Omit<HourDoc, 'results'>;

/**
 * Collections `rollups_1h`, whose documents hold the hour's results too, and `rollups_1d`; `_id` is `<monitor>:<hours or
 * days since 1970>`. One document, so that results and rollup cannot disagree after a crash between two writes.
 */
export class HourStore {
  readonly #hours: Collection<HourDoc>;
  readonly #days: Collection<DayDoc>;

  constructor(db: Db) {
    this.#hours = db.collection<HourDoc>('rollups_1h');
    this.#days = db.collection<DayDoc>('rollups_1d');
  }

  async read(keys: HourKey[]): Promise<HourRecord[]> {
    const docs = await this.#hours.find({ _id: { $in: keys.map(hourId) } }).toArray();
    return docs.map(({ _id, position, rollup, results }) =>
      ({ position, rows: ResultColumns.of(results ? decodeBlock(results.buffer) : []), rollup: decodeRollup(rollup.buffer), ...keyOf(_id) }));
  }

  async write(records: HourRecord[]): Promise<void> {
    await upsertAhead(this.#hours, records.map((record): HourDoc => ({
      _id: hourId(record), position: record.position, rollup: new Binary(encodeRollup(record.rollup)),
      ...(record.rows.length > 0 ? { results: new Binary(encodeBlock(record.rows)) } : {}),
    })));
  }

  async rollDays(days: (DayKey & { position: number })[]): Promise<void> {
    const docs: DayDoc[] = [];
    for (const { monitor_id, day, position } of days) {
      const range = { _id: rangeOf(monitor_id, day / HOUR_MS, (day + DAY_MS) / HOUR_MS) };
      const hours = await this.#hours.find(range, { projection: { results: 0 } }).toArray();
      const rollup = mergeRollups(hours.map((doc) => decodeRollup(doc.rollup.buffer)));
      docs.push({ _id: dayId({ monitor_id, day }), position, rollup: new Binary(encodeRollup(rollup)) });
    }
    await upsertAhead(this.#days, docs);
  }

  /** Rollups of these hours that are written, with the journal entry that each is of. */
  async hours(keys: HourKey[]): Promise<(HourKey & { position: number; rollup: Rollup })[]> {
    const docs = await this.#hours.find({ _id: { $in: keys.map(hourId) } }, { projection: { results: 0 } }).toArray();
    return docs.map(({ _id, position, rollup }) => ({ position, rollup: decodeRollup(rollup.buffer), ...keyOf(_id) }));
  }

  /** Rollups of these days that are written. */
  async days(keys: DayKey[]): Promise<(DayKey & { rollup: Rollup })[]> {
    const docs = await this.#days.find({ _id: { $in: keys.map(dayId) } }).toArray();
    return docs.map(({ _id, rollup }) => ({ monitor_id: splitId(_id)[0], day: splitId(_id)[1] * DAY_MS, rollup: decodeRollup(rollup.buffer) }));
  }

  /** Totals of these hours that are written, with the journal entry that each is of. */
  async hourTotals(keys: HourKey[]): Promise<(HourKey & { position: number; totals: Totals })[]> {
    const docs = await this.#hours.find({ _id: { $in: keys.map(hourId) } }, { projection: { results: 0 } }).toArray();
    return docs.map(({ _id, position, rollup }) => ({ position, totals: decodeTotals(rollup.buffer), ...keyOf(_id) }));
  }

  /** Totals of these days that are written. */
  async dayTotals(keys: DayKey[]): Promise<(DayKey & { totals: Totals })[]> {
    const docs = await this.#days.find({ _id: { $in: keys.map(dayId) } }).toArray();
    return docs.map(({ _id, rollup }) => ({ monitor_id: splitId(_id)[0], day: splitId(_id)[1] * DAY_MS, totals: decodeTotals(rollup.buffer) }));
  }

  /** The results of these hours that are written, each hour's in order of their start. */
  async results(keys: HourKey[]): Promise<HourResults[]> {
    const docs = await this.#hours.find({ _id: { $in: keys.map(hourId) } }, { projection: { results: 1 } }).toArray();
    return docs.map(({ _id, results }) => ({ rows: results ? decodeBlock(results.buffer) : [], ...keyOf(_id) }));
  }
}

/** Ids compare as text: hours since 1970 have six digits until 2084, days five until 2243. */
export function rangeOf(monitorId: string, first: number, end: number): { $gte: string; $lt: string } {
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
