import type { Collection, Db, Filter } from 'mongodb';
import { ensureIndexes } from '../platform/mongo/indexes.ts';
import type { AuditDoc } from './entry.ts';

export interface AuditQuery {
  organizationId: string;
  action?: string | undefined;
  actorId?: string | undefined;
  resourceId?: string | undefined;
  skip: number;
  limit: number;
}

/** Collection `audit_entries`: written once, never changed. */
export class AuditStore {
  readonly #entries: Collection<AuditDoc>;

  constructor(db: Db) {
    this.#entries = db.collection<AuditDoc>('audit_entries');
  }

  async ensureIndexes(): Promise<void> {
    await ensureIndexes(this.#entries, [
      // The log of an organization, newest first; and forgetting its oldest.
      { key: { organization_id: 1, created_at: -1, _id: -1 }, name: 'by_organization' },
    ]);
  }

  async insert(entry: AuditDoc): Promise<void> {
    await this.#entries.insertOne(entry);
  }

  /** Newest first, and how many there are in all. */
  async list(query: AuditQuery): Promise<{ entries: AuditDoc[]; total: number }> {
    const filter: Filter<AuditDoc> = {
      organization_id: query.organizationId,
      ...(query.action === undefined ? {} : { action: query.action }),
      ...(query.actorId === undefined ? {} : { actor_id: query.actorId }),
      ...(query.resourceId === undefined ? {} : { resource_id: query.resourceId }),
    };
    const [entries, total] = await Promise.all([
      this.#entries.find(filter).sort({ created_at: -1, _id: -1 }).skip(query.skip).limit(query.limit).toArray(),
      this.#entries.countDocuments(filter),
    ]);
    return { entries, total };
  }

  /** Removes at most `limit` entries of an organization made before `before`, Unix ms; returns how many. */
  async removeOlder(organizationId: string, before: number, limit: number): Promise<number> {
    const aged = this.#entries.find({ organization_id: organizationId, created_at: { $lt: before } }).sort({ created_at: 1, _id: 1 }).limit(limit);
    const ids = (await aged.project<{ _id: string }>({ _id: 1 }).toArray()).map((doc) => doc._id);
    if (ids.length > 0) await this.#entries.deleteMany({ _id: { $in: ids } });
    return ids.length;
  }
}
