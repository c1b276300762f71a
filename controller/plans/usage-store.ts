import type { Db } from 'mongodb';
import { Documents } from '../platform/mongo/documents.ts';
import { COUNTED_RESOURCES, type CountedResource } from './plans.ts';

/** A counter is missing if the resource was not counted yet when the organization was created. */
interface UsageDoc extends Partial<Record<CountedResource, number>> {
  /** The organization. */
  _id: string;
  /** Unix ms of the last reservation or release of any kind. */
  changed_at: number;
}

/** Collection `usage`: counters of each organization's limited resources. */
export class UsageStore extends Documents<UsageDoc> {
  constructor(db: Db) {
    super(db, 'usage');
  }

  /** False, with nothing reserved, if `count` more would exceed `limit`. */
  async reserve(
    id: string, counted: CountedResource, limit: number, now: number, count: number,
  ): Promise<boolean> {
    const filter = { _id: id, [counted]: { $lte: limit - count } };
    const update = { $inc: { [counted]: count }, $max: { changed_at: now } };
    if (await this.update(filter, update)) return true;
    if ((await this.read(id)) !== null) return false;
    const none = Object.fromEntries(COUNTED_RESOURCES.map((counted) => [counted, 0]));
    await this.insertIfFree({ _id: id, changed_at: 0, ...none });
    return this.update(filter, update);
  }

  async release(id: string, counted: CountedResource, now: number, count: number): Promise<void> {
    const filter = { _id: id, [counted]: { $gte: count } };
    await this.update(filter, { $inc: { [counted]: -count }, $max: { changed_at: now } });
  }

  read(id: string): Promise<UsageDoc | null> {
    return this.findOne({ _id: id });
  }

  /** Does nothing if the counter exists. */
  async addCounter(id: string, counted: CountedResource, actual: number): Promise<void> {
    await this.update({ _id: id, [counted]: { $exists: false } }, { $set: { [counted]: actual } });
  }

  /** False if something was reserved or released since `seen` was read. */
  correct(seen: UsageDoc, counted: CountedResource, actual: number): Promise<boolean> {
    const filter = { _id: seen._id, [counted]: seen[counted], changed_at: seen.changed_at };
    return this.update(filter, { $set: { [counted]: actual } });
  }
}
