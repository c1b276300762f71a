import type { Db } from 'mongodb';
import { claimedAs } from '../work/claimed-work.ts';
import { DueDocuments } from '../platform/mongo/due-documents.ts';
import { restoring } from '../platform/mongo/documents.ts';
import { upsertAll } from '../platform/mongo/mongo-errors.ts';
import type { DomainDoc, DomainFacts } from './domain.ts';

const restore = restoring<DomainDoc>({
  status: null, message: null, expires_at: null, learned_at: null, registrar: null, source: null,
  looked_up_at: null, published_expires_at: null,
});

/** Collection `domains`: registrable domains that monitors use, with their known facts. */
export class DomainStore extends DueDocuments<DomainDoc> {
  constructor(db: Db) {
    // Finds domains due for a lookup, each second.
    super(db, 'domains', [{ key: { due_at: 1 }, name: 'due' }], restore);
  }

  /** Facts about the domains that changed monitors name. New ones are due at `now`. */
  async recordUses(domains: string[], now: number): Promise<Map<string, DomainDoc>> {
    const names = [...new Set(domains)];
    if (names.length === 0) return new Map();
    const writes = names.map((_id) => {
      const update = { $inc: { uses: 1 }, $setOnInsert: { due_at: now, failures: 0 } };
      return { updateOne: { filter: { _id }, update, upsert: true } };
    });
    await upsertAll(this.all, writes);
    return new Map((await this.findMany(names)).map((doc) => [doc._id, doc]));
  }

  /** Keeps the claim. False, without effect, if it was lost. */
  saveFacts(claimed: DomainDoc, facts: DomainFacts & Pick<DomainDoc, 'failures'>): Promise<boolean> {
    return this.update(claimedAs(claimed), { $set: facts });
  }

  /** Removes a domain that no monitor uses, unless a monitor has named it since it was claimed. */
  async removeUnused(claimed: DomainDoc): Promise<void> {
    await this.remove({ uses: claimed.uses, ...claimedAs(claimed) });
  }
}
