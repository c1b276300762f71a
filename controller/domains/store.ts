import type { Db } from 'mongodb';
import type { Claim } from '../../shared/claims.ts';
import { claimedAs, notHeld } from '../platform/mongo/claim-filters.ts';
import { DocumentsById } from '../platform/mongo/documents.ts';
import { isDuplicateKey } from '../platform/mongo/mongo-errors.ts';
import { restoring } from '../platform/mongo/null-fields.ts';
import type { DomainDoc, DomainFacts } from './domain.ts';

const restore = restoring<DomainDoc>({
  status: null, message: null, expires_at: null, learned_at: null, registrar: null, source: null,
  looked_up_at: null, told: null,
});

type Settled = Pick<DomainDoc, 'due_at'> & Partial<Omit<DomainDoc, '_id' | 'uses' | 'claim'>>;

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

  /** Domains to be looked up and not `held` under these claims, most overdue first. */
  due(until: number, limit: number, held: readonly string[]): Promise<DomainDoc[]> {
    const due = this.select({ due_at: { $lte: until }, ...notHeld(held) });
    return due.sort({ due_at: 1 }).limit(limit).toArray();
  }

  /** Null when it is no longer as it was seen. */
  claim(seen: DomainDoc, claim: Claim): Promise<DomainDoc | null> {
    const { _id, due_at } = seen;
    return this.change({ _id, due_at, ...claimedAs(seen) }, { $set: { claim } });
  }

  /** Goes on with the claim. False, and without effect, when it was lost. */
  note(claimed: DomainDoc, facts: DomainFacts & Pick<DomainDoc, 'failures'>): Promise<boolean> {
    return this.update({ _id: claimed._id, ...claimedAs(claimed) }, { $set: facts });
  }

  /** Ends the claim. False, and without effect, when it was lost. */
  settle(claimed: DomainDoc, change: Settled): Promise<boolean> {
    const isOurs = { _id: claimed._id, ...claimedAs(claimed) };
    return this.update(isOurs, { $set: change, $unset: { claim: '' } });
  }

  /** Removes a domain that no monitor uses, unless one has named it since it was claimed. */
  async forget(claimed: DomainDoc): Promise<void> {
    const { _id, uses } = claimed;
    await this.remove({ _id, uses, ...claimedAs(claimed) });
  }
}
