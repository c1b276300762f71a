import type { Db } from 'mongodb';
import type { Tenant } from '../../access/tenant.ts';
import { claimedAs, type WorkClaim } from '../../work/claimed-work.ts';
import { DueDocuments } from '../../platform/mongo/due-documents.ts';
import { insertMissing, unlessTaken } from '../../platform/mongo/mongo-errors.ts';
import { removeOlder } from '../../platform/mongo/documents.ts';
import type { OutgoingDoc } from '../notice.ts';

type Settled = Pick<OutgoingDoc, 'state' | 'attempts' | 'due_at'>;

/** Collection `subscriber_outbox`. Sent messages stay for a while, so that they can't be added again. */
export class OutboxStore extends DueDocuments<OutgoingDoc> {
  constructor(db: Db) {
    super(db, 'subscriber_outbox', [
      { key: { due_at: 1 }, name: 'due', sparse: true },
      { key: { page_id: 1 }, name: 'page' },
      // For removing the oldest.
      { key: { created_at: 1 }, name: 'age' },
    ]);
  }

  add(outgoing: OutgoingDoc[]): Promise<void> {
    return insertMissing(this.all, outgoing);
  }

  /**
   * Adds a notice to a digest, creating it if needed. False if the digest is being sent without the notice.
   */
  async addToDigest({ _id, ...digest }: OutgoingDoc, noticeId: string): Promise<boolean> {
    const { notice_ids: _none, attempts, ...fresh } = digest;
    const isAdded = await unlessTaken(this.all.updateOne(
      { _id, attempts }, { $setOnInsert: fresh, $addToSet: { notice_ids: noticeId } }, { upsert: true },
    ));
    return isAdded || (await this.findOne({ _id, notice_ids: noticeId })) !== null;
  }

  /** The due messages among `ids`. */
  dueAmong(ids: string[], now: number): Promise<OutgoingDoc[]> {
    return this.select({ _id: { $in: ids }, due_at: { $lte: now } }).toArray();
  }

  /** Starts an attempt; null if the message has changed since `seen`. */
  override claim(seen: OutgoingDoc, claim: WorkClaim): Promise<OutgoingDoc | null> {
    const { due_at } = seen;
    return this.change({ due_at, ...claimedAs(seen) }, { $set: { claim }, $inc: { attempts: 1 } });
  }

  /** Records the outcome of an attempt, unless its claim was lost. */
  override settle(claimed: OutgoingDoc, { due_at, ...final }: Settled): Promise<boolean> {
    if (due_at !== undefined) return super.settle(claimed, { due_at, ...final });
    return this.update(claimedAs(claimed), { $set: final, $unset: { claim: '', due_at: '' } });
  }

  async deleteOfPage({ organizationId }: Tenant, pageId: string): Promise<void> {
    await this.all.deleteMany({ organization_id: organizationId, page_id: pageId });
  }

  /** Removes up to `limit` documents older than `before` (Unix ms); returns how many. */
  removeOlder(before: number, limit: number): Promise<number> {
    return removeOlder(this.all, before, limit);
  }
}
