import type { Db } from 'mongodb';
import { DocumentsById } from '../platform/mongo/documents.ts';
import { isDuplicateKey } from '../platform/mongo/mongo-errors.ts';
import { restoring } from '../platform/mongo/null-fields.ts';
import type { DomainDoc } from './domain.ts';

const restore = restoring<DomainDoc>({
  status: null, message: null, expires_at: null, learned_at: null, registrar: null, source: null,
  looked_up_at: null, told: null,
});

/** Collection `domains`: registrable domains that monitors watch, and what is known of them. */
export class DomainStore extends DocumentsById<DomainDoc> {
  constructor(db: Db) {
    // The domains to be looked up, each second.
    super(db, 'domains', [{ key: { due_at: 1 }, name: 'due' }], restore);
  }

  /** What is known of domains that changed monitors name. New ones are due at `now`. */
  async want(domains: string[], now: number): Promise<Map<string, DomainDoc>> {
    const names = [...new Set(domains)];
    if (names.length === 0) return new Map();
    const writes = names.map((_id) => {
      const update = { $inc: { uses: 1 }, $setOnInsert: { due_at: now, failures: 0 } };
      return { updateOne: { filter: { _id }, update, upsert: true } };
    });
    try {
      await this.all.bulkWrite(writes, { ordered: false });
    } catch (error) {
      // Of two concurrent upserts of one document the loser finds it on its second attempt.
      if (!isDuplicateKey(error)) throw error;
      await this.all.bulkWrite(writes, { ordered: false });
    }
    return new Map((await this.findMany(names)).map((doc) => [doc._id, doc]));
  }

  /** Domains to be looked up, most overdue first. */
  due(now: number, limit: number): Promise<DomainDoc[]> {
    return this.select({ due_at: { $lte: now } }).sort({ due_at: 1 }).limit(limit).toArray();
  }

  /** Nobody else finds it due before `until`. Null when another controller was first. */
  claim({ _id, due_at }: DomainDoc, until: number): Promise<DomainDoc | null> {
    return this.change({ _id, due_at }, { $set: { due_at: until } });
  }

  /** False, and without effect, when the claim on it was lost. */
  settle({ _id, due_at }: DomainDoc, change: Partial<Omit<DomainDoc, '_id' | 'uses'>>): Promise<boolean> {
    return this.update({ _id, due_at }, { $set: change });
  }

  /** Removes a domain that no monitor uses, unless one has named it since it was claimed. */
  async forget({ _id, due_at, uses }: DomainDoc): Promise<void> {
    await this.remove({ _id, due_at, uses });
  }
}
