import type { Db, UpdateFilter } from 'mongodb';
import type { WorkClaim } from '../../../shared/work-claims.ts';
import type { Tenant } from '../../accounts/tenant.ts';
import { claimedAs, notHeld } from '../../platform/mongo/claim-filters.ts';
import { Documents } from '../../platform/mongo/documents.ts';
import { unlessTaken } from '../../platform/mongo/mongo-errors.ts';
import { removeOlder } from '../../platform/mongo/remove-older.ts';
import { insertMissing } from '../../platform/mongo/upsert-newer.ts';
import type { OutgoingDoc } from './notice.ts';

type Settled = Pick<OutgoingDoc, 'state' | 'attempts' | 'due_at'>;

/** Collection `subscriber_outbox`. What was sent stays for a while, so that nothing adds it again. */
export class OutboxStore extends Documents<OutgoingDoc> {
  constructor(db: Db) {
    super(db, 'subscriber_outbox', [
      { key: { due_at: 1 }, name: 'due', sparse: true },
      { key: { page_id: 1 }, name: 'page' },
      // Removing the oldest.
      { key: { created_at: 1 }, name: 'age' },
    ]);
  }

  add(outgoing: OutgoingDoc[]): Promise<void> {
    return insertMissing(this.all, outgoing);
  }

  /** Adds a notice to a digest, also to a new one. False if the digest is on its way, without the notice. */
  async addToDigest({ _id, ...digest }: OutgoingDoc, noticeId: string): Promise<boolean> {
    const { notice_ids: _none, attempts, ...fresh } = digest;
    const isAdded = await unlessTaken(this.all.updateOne(
      { _id, attempts }, { $setOnInsert: fresh, $addToSet: { notice_ids: noticeId } }, { upsert: true },
    ));
    return isAdded || (await this.findOne({ _id, notice_ids: noticeId })) !== null;
  }

  /** Those that are due among `ids`. */
  dueAmong(ids: string[], now: number): Promise<OutgoingDoc[]> {
    return this.select({ _id: { $in: ids }, due_at: { $lte: now } }).toArray();
  }

  /** Those that are due by `until` (Unix ms) and not `held` under these claims, longest due first. */
  due(until: number, limit: number, held: readonly string[] = []): Promise<OutgoingDoc[]> {
    const due = this.select({ due_at: { $lte: until }, ...notHeld(held) });
    return due.sort({ due_at: 1 }).limit(limit).toArray();
  }

  /** Begins an attempt at what is as it was seen; null if somebody else has. */
  claim(seen: OutgoingDoc, claim: WorkClaim): Promise<OutgoingDoc | null> {
    const { due_at } = seen;
    return this.change({ due_at, ...claimedAs(seen) }, { $set: { claim }, $inc: { attempts: 1 } });
  }

  /** Records how an attempt has ended, unless its claim was lost. */
  async settle(claimed: OutgoingDoc, { state, attempts, due_at }: Settled): Promise<void> {
    const change: UpdateFilter<OutgoingDoc> = due_at === undefined
      ? { $set: { state, attempts }, $unset: { claim: '', due_at: '' } }
      : { $set: { state, attempts, due_at }, $unset: { claim: '' } };
    await this.update(claimedAs(claimed), change);
  }

  async deleteOfPage({ organizationId }: Tenant, pageId: string): Promise<void> {
    await this.all.deleteMany({ organization_id: organizationId, page_id: pageId });
  }

  /** Removes at most `limit` that are older than `before` (Unix ms); returns how many. */
  removeOlder(before: number, limit: number): Promise<number> {
    return removeOlder(this.all, before, limit);
  }
}
