import type { Tenant } from '../../accounts/tenant.ts';
import type { Collection, Db } from 'mongodb';
import { ensureIndexes } from '../../platform/mongo/indexes.ts';
import type { CommentDoc } from './comment.ts';
import type { CommentRepository } from '../ports.ts';

/** Collection `incident_comments`. A deleted comment stays, without its text. */
export class CommentStore implements CommentRepository {
  readonly #comments: Collection<CommentDoc>;

  constructor(db: Db) {
    this.#comments = db.collection<CommentDoc>('incident_comments');
  }

  async ensureIndexes(): Promise<void> {
    // The comments of one incident, in order, and their count.
    await ensureIndexes(this.#comments, [{ key: { incident_id: 1, created_at: 1, _id: 1 }, name: 'of_incident' }]);
  }

  async insert(doc: CommentDoc): Promise<void> {
    await this.#comments.insertOne(doc);
  }

  find(tenant: Tenant, incidentId: string, id: string): Promise<CommentDoc | null> {
    return this.#comments.findOne({ _id: id, ...ofIncident(tenant, incidentId) });
  }

  list(tenant: Tenant, incidentId: string, limit: number): Promise<CommentDoc[]> {
    return this.#comments.find(ofIncident(tenant, incidentId)).sort({ created_at: 1, _id: 1 }).limit(limit).toArray();
  }

  count(tenant: Tenant, incidentId: string): Promise<number> {
    return this.#comments.countDocuments(ofIncident(tenant, incidentId));
  }

  /** Removes the comments of these incidents. */
  async removeOf(incidentIds: string[]): Promise<void> {
    if (incidentIds.length > 0) await this.#comments.deleteMany({ incident_id: { $in: incidentIds } });
  }

  change(seen: CommentDoc, change: Partial<Pick<CommentDoc, 'comment_text' | 'is_internal' | 'updated_at' | 'deleted_at'>>): Promise<CommentDoc | null> {
    const { _id, organization_id, project_id, user_id } = seen;
    return this.#comments.findOneAndUpdate(
      { _id, organization_id, project_id, user_id, deleted_at: null },
      { $set: change },
      { returnDocument: 'after' },
    );
  }
}

function ofIncident(tenant: Tenant, incidentId: string) {
  return { incident_id: incidentId, organization_id: tenant.organizationId, project_id: tenant.projectId };
}
