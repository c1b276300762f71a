import type { Binary, Collection, Db } from 'mongodb';
import { DAY_MS, HOUR_MS } from '../../verdicts/booking-rules.ts';
import { rangeOf, type IdRange } from './hour-store.ts';
import { steps } from './rollup.ts';

/** Hours of one monitor per statement: about a month. */
const HOURS_AT_ONCE = 750;
/** Statements per command. */
const AT_ONCE = 100;

/** A monitor's history from `from` to before `before`, Unix ms. */
interface Stretch {
  monitor_id: string;
  from: number;
  before: number;
}

/** Removes what has expired from `rollups_1h`, `rollups_1d` and `status_changes`. */
export class AgedResultStore {
  readonly #hours: Collection<{ _id: string; results?: Binary }>;
  readonly #days: Collection<{ _id: string }>;
  readonly #changes: Collection<{ _id: string; monitor_id: string; at: number }>;

  constructor(db: Db) {
    this.#hours = db.collection('rollups_1h');
    this.#days = db.collection('rollups_1d');
    this.#changes = db.collection('status_changes');
  }

  async removeResults(stretches: Stretch[]): Promise<void> {
    for (const part of inParts(stretches.flatMap(hourRanges))) {
      await this.#hours.bulkWrite(part.map((_id) => ({
        updateMany: { filter: { _id, results: { $exists: true } }, update: { $unset: { results: '' } } },
      })), { ordered: false });
    }
  }

  async removeRollups(stretches: Stretch[]): Promise<void> {
    const removal = (_id: IdRange) => ({ deleteMany: { filter: { _id } } });
    for (const part of inParts(stretches.flatMap(hourRanges))) {
      await this.#hours.bulkWrite(part.map(removal), { ordered: false });
    }
    for (const part of inParts(stretches.map(dayRange))) {
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

function dayRange({ monitor_id, from, before }: Stretch): IdRange {
  return rangeOf(monitor_id, Math.floor(from / DAY_MS), Math.floor(before / DAY_MS));
}

function hourRanges({ monitor_id, from, before }: Stretch): IdRange[] {
  const end = Math.floor(before / HOUR_MS);
  const starts = steps(Math.floor(from / HOUR_MS), end, HOURS_AT_ONCE);
  return starts.map((at) => rangeOf(monitor_id, at, Math.min(end, at + HOURS_AT_ONCE)));
}

function inParts<T>(all: T[]): T[][] {
  return steps(0, all.length, AT_ONCE).map((at) => all.slice(at, at + AT_ONCE));
}
