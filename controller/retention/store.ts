import type { Collection, Db } from 'mongodb';
import type { SweepState } from './rules.ts';

interface SweepDoc extends SweepState {
  /** The organization. */
  _id: string;
}

/** Collection `retention`: how far each organization's history was gone through. By id only. */
export class SweepStore {
  readonly #sweeps: Collection<SweepDoc>;

  constructor(db: Db) {
    this.#sweeps = db.collection<SweepDoc>('retention');
  }

  find(organizationId: string): Promise<SweepState | null> {
    return this.#sweeps.findOne({ _id: organizationId });
  }

  async save(organizationId: string, state: SweepState): Promise<void> {
    const { done, done_at, run } = state;
    await this.#sweeps.updateOne({ _id: organizationId }, { $set: { done, done_at, run } }, { upsert: true });
  }
}
