import type { Db } from 'mongodb';
import { DocumentsById } from '../platform/mongo/documents.ts';
import { upsertNewer } from '../platform/mongo/mongo-errors.ts';
import type { SeenDoc } from './change.ts';

/** Collection `seen_targets`: what each monitor's target has had. Written only when that changes. */
export class SeenStore extends DocumentsById<SeenDoc> {
  constructor(db: Db) {
    super(db, 'seen_targets');
  }

  /** Stores a document unless a later one is stored. */
  async save(doc: SeenDoc): Promise<void> {
    await upsertNewer(this.all, [doc]);
  }

  async removeOf(monitorIds: string[]): Promise<void> {
    if (monitorIds.length > 0) await this.all.deleteMany({ _id: { $in: monitorIds } });
  }
}
