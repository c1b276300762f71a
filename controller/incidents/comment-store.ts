import type { Collection, Db } from 'mongodb';
import { ownedBy, type Tenant } from '../access/tenant.ts';
import { ensureIndexes } from '../platform/mongo/indexes.ts';
import { restoring } from '../platform/mongo/documents.ts';
import type { CommentDoc } from './comment.ts';

export type CommentChange = Partial<
  Pick<CommentDoc, 'comment_text' | 'is_internal' | 'updated_at' | 'deleted_at'>
>;

const restoreComment = restoring<CommentDoc>({ deleted_at: null });

/** Collection `incident_comments`. Deleted comments stay, without their text. */
export class CommentStore {
  readonly #comments: Collection<CommentDoc>;

  constructor(db: Db) {
    this.#comments = db.collection<CommentDoc>('incident_comments');
  }

  async ensureIndexes(): Promise<void> {
    // Lists and counts the comments of an incident.
    const key = { incident_id: 1, created_at: 1, _id: 1 } as const;
    await ensureIndexes(this.#comments, [{ key, name: 'of_incident' }]);
  }

  async insert(doc: CommentDoc): Promise<void> {
    await this.#comments.insertOne(doc);
  }

  /** Null if it does not exist or belongs to another incident or tenant. */
  async find(tenant: Tenant, incidentId: string, id: string): Promise<CommentDoc | null> {
    const found = await this.#comments.findOne({ _id: id, incident_id: incidentId, ...ownedBy(tenant) });
    return found && restoreComment(found);
  }

  /** Oldest first, including deleted comments. */
  list(tenant: Tenant, incidentId: string, limit: number): Promise<CommentDoc[]> {
    const all = this.#comments.find({ incident_id: incidentId, ...ownedBy(tenant) });
    return all.sort({ created_at: 1, _id: 1 }).limit(limit).map(restoreComment).toArray();
  }

  count(tenant: Tenant, incidentId: string): Promise<number> {
    return this.#comments.countDocuments({ incident_id: incidentId, ...ownedBy(tenant) });
  }

  /** Null if the comment is deleted. */
  async change(seen: CommentDoc, change: CommentChange): Promise<CommentDoc | null> {
    const { _id, organization_id, project_id, user_id } = seen;
    const changed = await this.#comments.findOneAndUpdate(
      { _id, organization_id, project_id, user_id, deleted_at: null },
      { $set: change },
      { returnDocument: 'after' },
    );
    return changed && restoreComment(changed);
  }

  async removeOf(incidentIds: string[]): Promise<void> {
    if (incidentIds.length > 0) await this.#comments.deleteMany({ incident_id: { $in: incidentIds } });
  }
}
