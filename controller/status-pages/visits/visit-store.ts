import type { Db } from 'mongodb';
import { Documents } from '../../platform/mongo/documents.ts';
import { duplicatesOnly } from '../../platform/mongo/mongo-errors.ts';
import { DAY_MS, RETAINED_DAYS, dayAndHourOf, sumVisits, type VisitDoc, type Visits } from './visit-rules.ts';

/** Collection `status_page_visits`. Contains nothing about who a visitor was. */
export class VisitStore extends Documents<VisitDoc> {
  constructor(db: Db) {
    super(db, 'status_page_visits', [
      // For the visits of a page.
      { key: { page_id: 1, day: 1 }, name: 'of_page' },
      // For removing old visits.
      { key: { day: 1 }, name: 'aged' },
    ]);
  }

  /** Adds visits at `at` (Unix ms), by page. */
  async add(counts: ReadonlyMap<string, number>, at: number): Promise<void> {
    const { day, hour } = dayAndHourOf(at);
    const writes = [...counts].map(([page_id, count]) => {
      const update = { $inc: { [`hours.${hour}`]: count }, $setOnInsert: { page_id, day } };
      return { updateOne: { filter: { _id: `${page_id}:${day}` }, update, upsert: true } };
    });
    if (writes.length === 0) return;
    try {
      await this.all.bulkWrite(writes as never, { ordered: false });
    } catch (error) {
      // Another controller has inserted the day of these pages at the same time.
      const duplicates = duplicatesOnly(error);
      if (duplicates === null) throw error;
      await this.all.bulkWrite(duplicates.map((index) => writes[index]) as never, { ordered: false });
    }
  }

  async of(pageId: string, now: number): Promise<Visits> {
    const since = dayAndHourOf(now).day - RETAINED_DAYS * DAY_MS;
    return sumVisits(await this.select({ page_id: pageId, day: { $gte: since } }).toArray(), now);
  }

  async removeOlder(before: number): Promise<void> {
    await this.all.deleteMany({ day: { $lt: before } });
  }
}
