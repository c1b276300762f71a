import type { Db } from 'mongodb';
import type { Tenant } from '../../accounts/tenant.ts';
import { Documents } from '../../platform/mongo/documents.ts';
import { unlessTaken } from '../../platform/mongo/mongo-errors.ts';
import { removeOlder } from '../../platform/mongo/remove-older.ts';
import { insertAbsent } from '../../platform/mongo/upsert-ahead.ts';
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
    return insertAbsent(this.all, outgoing);
  }

  /** Adds a notice to a digest, also to a new one. False if the digest is on its way, without the notice. */
  async addToDigest({ _id, ...digest }: OutgoingDoc, noticeId: string): Promise<boolean> {
    const { notice_ids: _none, attempts, ...fresh } = digest;
    const isTaken = await unlessTaken(this.all.updateOne(
      { _id, attempts }, { $setOnInsert: fresh, $addToSet: { notice_ids: noticeId } }, { upsert: true },
    ));
    return isTaken || (await this.findOne({ _id, notice_ids: noticeId })) !== null;
  }

  /** Those that are due among `ids`. */
  dueAmong(ids: string[], now: number): Promise<OutgoingDoc[]> {
    return this.select({ _id: { $in: ids }, due_at: { $lte: now } }).toArray();
  }

  /** Those that are longest due first. */
  due(until: number, limit: number): Promise<OutgoingDoc[]> {
    return this.select({ due_at: { $lte: until } }).sort({ due_at: 1 }).limit(limit).toArray();
  }

  /** Begins an attempt, of which nobody else begins one until then; null if somebody has. */
  claim({ _id, due_at }: OutgoingDoc, until: number): Promise<OutgoingDoc | null> {
    return this.change({ _id, due_at }, { $set: { due_at: until }, $inc: { attempts: 1 } });
  }

  /** Records how an attempt has ended, unless another one has begun since. */
  async settle({ _id, attempts: attempt, due_at: claimed }: OutgoingDoc, settled: Settled): Promise<void> {
    const { state, attempts, due_at } = settled;
    const end = due_at === undefined
      ? { $set: { state, attempts }, $unset: { due_at: '' as const } }
      : { $set: { state, attempts, due_at } };
    await this.update({ _id, attempts: attempt, due_at: claimed }, end);
  }

  async deleteOfPage({ organizationId }: Tenant, pageId: string): Promise<void> {
    await this.all.deleteMany({ organization_id: organizationId, page_id: pageId });
  }

  /** Removes at most `limit` that are older than `before` (Unix ms); returns how many. */
  removeOlder(before: number, limit: number): Promise<number> {
    return removeOlder(this.all, before, limit);
  }
}
