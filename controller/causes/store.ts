import type { Db, Filter } from 'mongodb';
import type { Tenant } from '../access/tenant.ts';
import { DocumentsById, restoring } from '../platform/mongo/documents.ts';
import { upsertAll } from '../platform/mongo/mongo-errors.ts';
import type { CauseDoc } from './cause.ts';

export type CauseStatus = 'open' | 'ended';

export interface CausePage {
  status?: CauseStatus | undefined;
  page: number;
  limit: number;
}

/** Collection `causes`. */
export class CauseStore extends DocumentsById<CauseDoc> {
  constructor(db: Db) {
    super(db, 'causes', [
      // Lists the causes of a project's incidents, and removes the old ones of an organization.
      { key: { organization_id: 1, project_ids: 1, started_at: -1, _id: -1 }, name: 'list' },
    ], restoring<CauseDoc>({ ended_at: null }));
  }

  /** Inserts a cause, or adds to it: projects, and an earlier start. It is open from now on. */
  async include(cause: CauseDoc): Promise<void> {
    const { _id, project_ids, monitors_having, started_at, ended_at, ...fixed } = cause;
    const change = { $setOnInsert: fixed, $set: { monitors_having, ended_at }, $min: { started_at } };
    await upsertAll(this.all, project_ids.map((projectId) => {
      const update = { ...change, $addToSet: { project_ids: projectId } };
      return { updateOne: { filter: { _id }, update, upsert: true } };
    }));
  }

  /** Those of `ids` that are open. */
  async openAmong(ids: string[]): Promise<CauseDoc[]> {
    if (ids.length === 0) return [];
    return this.select({ _id: { $in: ids }, ended_at: null }).toArray();
  }

  async end(id: string, at: number): Promise<void> {
    await this.update({ _id: id, ended_at: null }, { $set: { ended_at: at } });
  }

  /** Null if it does not exist or has no incident of the project. */
  findOf({ organizationId, projectId }: Tenant, id: string): Promise<CauseDoc | null> {
    return this.findOne({ _id: id, organization_id: organizationId, project_ids: projectId });
  }

  /** Returns one page, newest first, and the total number of matches. */
  async list({ organizationId, projectId }: Tenant, { status, page, limit }: CausePage) {
    const filter: Filter<CauseDoc> = { organization_id: organizationId, project_ids: projectId };
    if (status !== undefined) filter.ended_at = status === 'open' ? null : { $gt: 0 };
    const newest = this.select(filter).sort({ started_at: -1, _id: -1 });
    const [causes, total] = await Promise.all([
      newest.skip((page - 1) * limit).limit(limit).toArray(), this.count(filter),
    ]);
    return { causes, total };
  }

  /** Removes causes that ended before `before`, Unix ms. */
  async removeOlder(organizationId: string, before: number): Promise<void> {
    await this.all.deleteMany({ organization_id: organizationId, ended_at: { $gt: 0, $lt: before } });
  }
}
