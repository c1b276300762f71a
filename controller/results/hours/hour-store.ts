import { Binary, type Collection, type Db } from 'mongodb';
import { DAY_MS, HOUR_MS } from '../../verdicts/time-accounting/time-accounting-rules.ts';
import { decodeBlock, encodeBlock } from './block-codec.ts';
import { ResultColumns } from './result-columns.ts';
import { decodeRollup, decodeTotals, encodeRollup } from './rollup-codec.ts';
import { mergeRollups, type Rollup, type Totals } from './rollup.ts';
import type { DayKey, HourKey, HourRecord, HourResults } from './hour-record.ts';
import { upsertNewer } from '../../platform/mongo/mongo-errors.ts';

interface HourDoc {
  _id: string;
  position: number;
  rollup: Binary;
  /** The hour's results; absent without results, or after they expired. */
  results?: Binary;
}

type DayDoc = Omit<HourDoc, 'results'>;

/**
 * Collections `rollups_1h` and `rollups_1d`; `_id` is `<monitor>:<hours or days since 1970>`. An hour's
 * document also holds its results, so that a crash cannot leave them inconsistent with the rollup.
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
    return docs.map(({ _id, position, rollup, results }) => ({
      position, rows: results ? decodeBlock(results.buffer) : new ResultColumns(0),
      rollup: decodeRollup(rollup.buffer), ...hourKey(_id),
    }));
  }

  /** Writes each hour whose stored position is lower. */
  async write(records: HourRecord[]): Promise<void> {
    await upsertNewer(this.#hours, records.map((record): HourDoc => ({
      _id: hourId(record), position: record.position, rollup: new Binary(encodeRollup(record.rollup)),
      ...(record.rows.length > 0 ? { results: new Binary(encodeBlock(record.rows)) } : {}),
    })));
  }

  /** Computes the days' rollups from their hours, each if its stored position is lower. */
  async rollDays(days: (DayKey & { position: number })[]): Promise<void> {
    const docs: DayDoc[] = [];
    for (const { monitor_id, day, position } of days) {
      const hours = await this.#rollups(rangeOf(monitor_id, day / HOUR_MS, (day + DAY_MS) / HOUR_MS));
      const rollup = mergeRollups(hours.map((doc) => decodeRollup(doc.rollup.buffer)));
      docs.push({ _id: dayId({ monitor_id, day }), position, rollup: new Binary(encodeRollup(rollup)) });
    }
    await upsertNewer(this.#days, docs);
  }

  /** Written rollups of these hours, each with its journal entry. */
  async hours(keys: HourKey[]): Promise<(HourKey & { position: number; rollup: Rollup })[]> {
    const docs = await this.#rollups({ $in: keys.map(hourId) });
    return docs.map(({ _id, position, rollup }) =>
      ({ position, rollup: decodeRollup(rollup.buffer), ...hourKey(_id) }));
  }

  /** Written totals of these hours, each with its journal entry. */
  async hourTotals(keys: HourKey[]): Promise<(HourKey & { position: number; totals: Totals })[]> {
    const docs = await this.#rollups({ $in: keys.map(hourId) });
    return docs.map(({ _id, position, rollup }) =>
      ({ position, totals: decodeTotals(rollup.buffer), ...hourKey(_id) }));
  }

  /** Written rollups of these days. */
  async days(keys: DayKey[]): Promise<(DayKey & { rollup: Rollup })[]> {
    const docs = await this.#days.find({ _id: { $in: keys.map(dayId) } }).toArray();
    return docs.map(({ _id, rollup }) => ({ rollup: decodeRollup(rollup.buffer), ...dayKey(_id) }));
  }

  /** Written totals of these days. */
  async dayTotals(keys: DayKey[]): Promise<(DayKey & { totals: Totals })[]> {
    const docs = await this.#days.find({ _id: { $in: keys.map(dayId) } }).toArray();
    return docs.map(({ _id, rollup }) => ({ totals: decodeTotals(rollup.buffer), ...dayKey(_id) }));
  }

  /** The written results of these hours, each hour's in order of their start. */
  async results(keys: HourKey[]): Promise<HourResults[]> {
    return (await this.columns(keys)).map(({ columns, ...key }) => ({ rows: columns.rows(), ...key }));
  }

  /** As `results`, without one object per result. Omits hours without results. */
  async columns(keys: HourKey[]): Promise<(HourKey & { columns: ResultColumns })[]> {
    const query = { _id: { $in: keys.map(hourId) }, results: { $exists: true } };
    const docs = await this.#hours.find(query, { projection: { results: 1 } }).toArray();
    return docs.flatMap(({ _id, results }) => (
      results ? [{ columns: decodeBlock(results.buffer), ...hourKey(_id) }] : []
    ));
  }

  #rollups(_id: { $in: string[] } | IdRange): Promise<HourDoc[]> {
    return this.#hours.find({ _id }, { projection: { results: 0 } }).toArray();
  }
}

export interface IdRange {
  $gte: string;
  $lt: string;
}

/** Ids compare as text: hours since 1970 have six digits until 2084, days five until 2243. */
export function rangeOf(monitorId: string, first: number, end: number): IdRange {
  return { $gte: `${monitorId}:${first}`, $lt: `${monitorId}:${end}` };
}

function dayId({ monitor_id, day }: DayKey): string {
  return `${monitor_id}:${day / DAY_MS}`;
}

function hourId({ monitor_id, hour }: HourKey): string {
  return `${monitor_id}:${hour / HOUR_MS}`;
}

function dayKey(id: string): DayKey {
  const [monitor_id, number] = splitId(id);
  return { monitor_id, day: number * DAY_MS };
}

function hourKey(id: string): HourKey {
  const [monitor_id, number] = splitId(id);
  return { monitor_id, hour: number * HOUR_MS };
}

function splitId(id: string): [monitorId: string, number: number] {
  const at = id.lastIndexOf(':');
  return [id.slice(0, at), Number(id.slice(at + 1))];
}
