import type { Collection, Db } from 'mongodb';
import { restoring } from '../platform/mongo/documents.ts';
import type { SweepState } from './rules.ts';

const restoreState = restoring<SweepState>({ done: null, run: null });

/** Collection `retention`: sweep progress by organization id. */
export class SweepStore {
  readonly #sweeps: Collection<SweepState & { _id: string }>;

  constructor(db: Db) {
    this.#sweeps = db.collection('retention');
  }

  async find(organizationId: string): Promise<SweepState | null> {
    const found = await this.#sweeps.findOne({ _id: organizationId });
    return found && restoreState(found);
  }

  async save(organizationId: string, { done, done_at, run }: SweepState): Promise<void> {
    await this.#sweeps.updateOne({ _id: organizationId }, { $set: { done, done_at, run } }, { upsert: true });
  }
}
