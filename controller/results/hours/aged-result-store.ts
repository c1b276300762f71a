import type { Binary, Collection, Db } from 'mongodb';
import { DAY_MS, HOUR_MS } from '../../verdicts/time-accounting/time-accounting-rules.ts';
import { rangeOf, type IdRange } from './hour-store.ts';
import { steps } from './rollup.ts';

/** Hours of one monitor per statement: about a month. */
const MAX_HOURS_PER_STATEMENT = 750;
/** Statements per command. */
const BATCH_SIZE = 100;

/** Half-open range of a monitor's history, Unix ms. */
interface MonitorRange {
  monitor_id: string;
  from: number;
  before: number;
}

/** Removes expired data from `rollups_1h`, `rollups_1d` and `status_changes`. */
export class AgedResultStore {
  readonly #hours: Collection<{ _id: string; results?: Binary }>;
  readonly #days: Collection<{ _id: string }>;
  readonly #changes: Collection<{ _id: string; monitor_id: string; at: number }>;

  constructor(db: Db) {
    this.#hours = db.collection('rollups_1h');
    this.#days = db.collection('rollups_1d');
    this.#changes = db.collection('status_changes');
  }

  async removeResults(ranges: MonitorRange[]): Promise<void> {
    for (const part of inParts(ranges.flatMap(hourRanges))) {
      await this.#hours.bulkWrite(part.map((_id) => ({
        updateMany: { filter: { _id, results: { $exists: true } }, update: { $unset: { results: '' } } },
      })), { ordered: false });
    }
  }

  async removeRollups(ranges: MonitorRange[]): Promise<void> {
    const removal = (_id: IdRange) => ({ deleteMany: { filter: { _id } } });
    for (const part of inParts(ranges.flatMap(hourRanges))) {
      await this.#hours.bulkWrite(part.map(removal), { ordered: false });
    }
    for (const part of inParts(ranges.map(dayRange))) {
      await this.#days.bulkWrite(part.map(removal), { ordered: false });
    }
  }

  async removeChanges(monitorIds: string[], before: number): Promise<void> {
    if (monitorIds.length === 0) return;
    await this.#changes.deleteMany({ monitor_id: { $in: monitorIds }, at: { $lt: before } });
  }

  async removeMonitors(monitorIds: string[]): Promise<void> {
    if (monitorIds.length === 0) return;
    const ranges = monitorIds.map((id) => ({ $gte: `${id}:`, $lt: `${id};` }));
    const removals = ranges.map((_id) => ({ deleteMany: { filter: { _id } } }));
    await this.#hours.bulkWrite(removals, { ordered: false });
    await this.#days.bulkWrite(removals, { ordered: false });
    await this.#changes.deleteMany({ monitor_id: { $in: monitorIds } });
  }
}

function dayRange({ monitor_id, from, before }: MonitorRange): IdRange {
  return rangeOf(monitor_id, Math.floor(from / DAY_MS), Math.floor(before / DAY_MS));
}

function hourRanges({ monitor_id, from, before }: MonitorRange): IdRange[] {
  const end = Math.floor(before / HOUR_MS);
  const starts = steps(Math.floor(from / HOUR_MS), end, MAX_HOURS_PER_STATEMENT);
  return starts.map((at) => rangeOf(monitor_id, at, Math.min(end, at + MAX_HOURS_PER_STATEMENT)));
}

function inParts<T>(all: T[]): T[][] {
  return steps(0, all.length, BATCH_SIZE).map((at) => all.slice(at, at + BATCH_SIZE));
}
