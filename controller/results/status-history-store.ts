import type { Collection, Db } from 'mongodb';
import type { StatusChange } from '../incidents/monitor-state.ts';
import type { StatusHistory } from './derived-writer.ts';
import { insertAbsent } from './upsert-ahead-store.ts';

type StatusChangeDoc = Omit<StatusChange, 'id'> & { _id: string };

/** Collection `status_changes`: when each monitor went from one status to another. */
export class MongoStatusHistory implements StatusHistory {
  readonly #changes: Collection<StatusChangeDoc>;

  constructor(db: Db) {
    this.#changes = db.collection<StatusChangeDoc>('status_changes');
  }

  async ensureIndexes(): Promise<void> {
    // The history of one monitor, newest first.
    await this.#changes.createIndex({ monitor_id: 1, at: -1 }, { name: 'by_monitor' });
  }

  async add({ id, ...change }: StatusChange): Promise<void> {
    await insertAbsent(this.#changes, [{ _id: id, ...change }]);
  }
}
