import type { Binary, Collection, Db } from 'mongodb';
import { HOUR_MS } from '../../verdicts/booking-rules.ts';
import { rangeOf } from './hour-store.ts';
import { DAY_MS } from './rollup.ts';

/** Hours of one monitor in one statement: about a month. */
const HOURS_AT_ONCE = 750;
/** Statements in one command. */
const AT_ONCE = 100;

/** A monitor's history from `from` to before `before`, Unix ms. */
interface Stretch {
  monitor_id: string;
  from: number;
  before: number;
}

type IdRange = ReturnType<typeof rangeOf>;

/** What leaves `rollups_1h`, `rollups_1d` and `status_changes` by its age. All ranges are of `_id` or of the index `by_monitor`. */
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
    for (const ranges of inParts(stretches.flatMap((stretch) => hourRanges(stretch)))) {
      await this.#hours.bulkWrite(ranges.map((_id) => ({
        updateMany: { filter: { _id, results: { $exists: true } }, update: { $unset: { results: '' } } },
      })), { ordered: false });
    }
  }

  async removeRollups(stretches: Stretch[]): Promise<void> {
    for (const ranges of inParts(stretches.flatMap((stretch) => hourRanges(stretch)))) {
      await this.#hours.bulkWrite(ranges.map((_id) => ({ deleteMany: { filter: { _id } } })), { ordered: false });
    }
    for (const part of inParts(stretches)) {
      const ranges = part.map(({ monitor_id, from, before }) => rangeOf(monitor_id, Math.floor(from / DAY_MS), Math.floor(before / DAY_MS)));
      await this.#days.bulkWrite(ranges.map((_id) => ({ deleteMany: { filter: { _id } } })), { ordered: false });
    }
  }

  async removeChanges(monitorIds: string[], before: number): Promise<void> {
    if (monitorIds.length > 0) await this.#changes.deleteMany({ monitor_id: { $in: monitorIds }, at: { $lt: before } });
  }

  async removeMonitors(monitorIds: string[]): Promise<void> {
    if (monitorIds.length === 0) return;
    const operations = monitorIds.map((id) => ({ deleteMany: { filter: { _id: { $gte: `${id}:`, $lt: `${id};` } } } }));
    await this.#hours.bulkWrite(operations, { ordered: false });
    await this.#days.bulkWrite(operations, { ordered: false });
    await this.#changes.deleteMany({ monitor_id: { $in: monitorIds } });
  }
}

function hourRanges({ monitor_id, from, before }: Stretch): IdRange[] {
  const ranges: IdRange[] = [];
  const end = Math.floor(before / HOUR_MS);
  for (let at = Math.floor(from / HOUR_MS); at < end; at += HOURS_AT_ONCE) ranges.push(rangeOf(monitor_id, at, Math.min(end, at + HOURS_AT_ONCE)));
  return ranges;
}

function inParts<T>(all: T[]): T[][] {
  return Array.from({ length: Math.ceil(all.length / AT_ONCE) }, (_, part) => all.slice(part * AT_ONCE, (part + 1) * AT_ONCE));
}
