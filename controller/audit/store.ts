import type { Collection, Db, Filter } from 'mongodb';
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
    await this.#entries.createIndexes([
      // The log of an organization, newest first.
      { key: { organization_id: 1, created_at: -1, _id: -1 }, name: 'by_organization' },
      // Forgetting the oldest.
      { key: { created_at: 1 }, name: 'by_age' },
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

  async removeOlder(before: number): Promise<number> {
    return (await this.#entries.deleteMany({ created_at: { $lt: before } })).deletedCount;
  }
}
