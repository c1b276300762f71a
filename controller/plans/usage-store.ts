import type { Collection, Db } from 'mongodb';
import { unlessTaken } from '../platform/mongo/mongo-errors.ts';

/** What a plan counts. */
export type Counted = 'monitors' | 'projects' | 'status_pages';

/** A document of `usage`; `_id` is the organization. */
interface UsageDoc {
  _id: string;
  monitors: number;
  projects: number;
  status_pages: number;
  /** Unix ms of the last reservation or release of any kind. */
  changed_at: number;
}

/** Collection `usage`: how much of its plan an organization has taken, one counter document each. */
export class UsageStore {
  readonly #usage: Collection<UsageDoc>;

  constructor(db: Db) {
    this.#usage = db.collection<UsageDoc>('usage');
  }

  /** Takes `count` while that many are left of `limit`. False: they are not, and none is taken. */
  async reserve(organizationId: string, counted: Counted, limit: number, now: number, count: number): Promise<boolean> {
    const filter = { _id: organizationId, [counted]: { $lte: limit - count } };
    const update = { $inc: { [counted]: count }, $max: { changed_at: now } };
    if ((await this.#usage.updateOne(filter, update)).matchedCount === 1) return true;
    if (!(await this.#create(organizationId))) return false;
    return (await this.#usage.updateOne(filter, update)).matchedCount === 1;
  }

  async release(organizationId: string, counted: Counted, now: number, count: number): Promise<void> {
    await this.#usage.updateOne({ _id: organizationId, [counted]: { $gte: count } }, { $inc: { [counted]: -count }, $max: { changed_at: now } });
  }

  async read(organizationId: string): Promise<{ taken: Record<Counted, number>; changedAt: number } | null> {
    const doc = await this.#usage.findOne({ _id: organizationId });
    if (doc === null) return null;
    return { taken: { monitors: doc.monitors, projects: doc.projects, status_pages: doc.status_pages }, changedAt: doc.changed_at };
  }

  /** Sets a counter right if nothing has been reserved or released since it was read. */
  async correct(organizationId: string, counted: Counted, seen: { taken: number; changedAt: number }, actual: number): Promise<boolean> {
    const filter = { _id: organizationId, [counted]: seen.taken, changed_at: seen.changedAt };
    return (await this.#usage.updateOne(filter, { $set: { [counted]: actual } })).matchedCount === 1;
  }

  /** Whether the document was missing, and is there now. */
  async #create(organizationId: string): Promise<boolean> {
    if ((await this.#usage.findOne({ _id: organizationId })) !== null) return false;
    await unlessTaken(this.#usage.insertOne({ _id: organizationId, monitors: 0, projects: 0, status_pages: 0, changed_at: 0 }));
    return true;
  }
}
