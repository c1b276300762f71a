import type { Db } from 'mongodb';
import { Documents } from '../platform/mongo/documents.ts';

interface HeadDoc {
  /** Probe id. */
  _id: string;
  /** Revision of the probe's desired set. */
  head: number;
  /** Tombstones up to this revision were removed. A probe with a lower revision needs the whole set. */
  horizon: number;
}

/** Collection `assignment_heads`: the revision of each probe's desired set. */
export class HeadStore extends Documents<HeadDoc> {
  constructor(db: Db) {
    super(db, 'assignment_heads');
  }

  /** `{head: 0, horizon: 0}` for a probe that was never assigned anything. */
  async find(probeId: string): Promise<Pick<HeadDoc, 'head' | 'horizon'>> {
    return (await this.findOne({ _id: probeId })) ?? { head: 0, horizon: 0 };
  }

  async list(): Promise<Map<string, number>> {
    const found = await this.all.find({}).toArray();
    return new Map(found.map((doc) => [doc._id, doc.head]));
  }

  /** The next revision. Concurrent callers get different ones. */
  async next(probeId: string): Promise<number> {
    const after = await this.all.findOneAndUpdate(
      { _id: probeId },
      { $inc: { head: 1 }, $setOnInsert: { horizon: 0 } },
      { upsert: true, returnDocument: 'after' },
    );
    if (!after) throw new Error('the upsert returned no document');
    return after.head;
  }

  async raiseHorizon(probeId: string, rev: number): Promise<void> {
    await this.update({ _id: probeId }, { $max: { horizon: rev } });
  }

  drop(probeId: string): Promise<boolean> {
    return this.remove({ _id: probeId });
  }
}
