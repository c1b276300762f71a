import type { Collection, Db } from 'mongodb';
import { unlessTaken } from '../platform/mongo/mongo-errors.ts';
import type { Counted } from './plans.ts';

export interface UsageDoc extends Record<Counted, number> {
  /** The organization. */
  _id: string;
  /** Unix ms of the last reservation or release of any kind. */
  changed_at: number;
}

/** Collection `usage`: how much of its plan each organization uses. */
export class UsageStore {
  readonly #usage: Collection<UsageDoc>;

  constructor(db: Db) {
    this.#usage = db.collection<UsageDoc>('usage');
  }

  /** Reserves `count` if that stays within `limit`. False otherwise, and then nothing is reserved. */
  async reserve(id: string, counted: Counted, limit: number, now: number, count: number): Promise<boolean> {
    const filter = { _id: id, [counted]: { $lte: limit - count } };
    const update = { $inc: { [counted]: count }, $max: { changed_at: now } };
    const reserve = async () => (await this.#usage.updateOne(filter, update)).matchedCount === 1;
    if (await reserve()) return true;
    if ((await this.read(id)) !== null) return false;
    const unused = { _id: id, monitors: 0, projects: 0, status_pages: 0, changed_at: 0 };
    await unlessTaken(this.#usage.insertOne(unused));
    return reserve();
  }

  async release(id: string, counted: Counted, now: number, count: number): Promise<void> {
    const update = { $inc: { [counted]: -count }, $max: { changed_at: now } };
    await this.#usage.updateOne({ _id: id, [counted]: { $gte: count } }, update);
  }

  read(id: string): Promise<UsageDoc | null> {
    return this.#usage.findOne({ _id: id });
  }

  /** Corrects a counter unless something was reserved or released since `seen` was read. */
  async correct(seen: UsageDoc, counted: Counted, actual: number): Promise<boolean> {
    const filter = { _id: seen._id, [counted]: seen[counted], changed_at: seen.changed_at };
    return (await this.#usage.updateOne(filter, { $set: { [counted]: actual } })).matchedCount === 1;
  }
}
