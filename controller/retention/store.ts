import type { Collection, Db } from 'mongodb';
import type { SweepState } from './rules.ts';

/** Collection `retention`: how far each organization, which is the `_id`, was swept. */
export class SweepStore {
  readonly #sweeps: Collection<SweepState & { _id: string }>;

  constructor(db: Db) {
    this.#sweeps = db.collection('retention');
  }

  find(organizationId: string): Promise<SweepState | null> {
    return this.#sweeps.findOne({ _id: organizationId });
  }

  async save(organizationId: string, { done, done_at, run }: SweepState): Promise<void> {
    await this.#sweeps.updateOne({ _id: organizationId }, { $set: { done, done_at, run } }, { upsert: true });
  }
}
