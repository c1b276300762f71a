import type { Db } from 'mongodb';
import { Documents, restoring } from '../platform/mongo/documents.ts';

export interface AuditDoc {
  _id: string;
  organization_id: string;
  project_id: string | null;
  /** Noun and past participle, such as `monitor.created`. */
  action: string;
  actor_type: 'user' | 'api_key' | 'none';
  actor_id: string | null;
  /** At the time of the change. */
  actor_name: string | null;
  resource_type: string;
  resource_id: string | null;
  /** Names of the fields that were sent, never their values. */
  fields: string[];
  request_id: string;
  /** Unix ms. */
  created_at: number;
}

type AuditFilter = Partial<Record<'action' | 'actor_id' | 'resource_id', string | undefined>>;

/** Collection `audit_entries`. Entries never change. */
export class AuditStore extends Documents<AuditDoc> {
  constructor(db: Db) {
    super(db, 'audit_entries', [
      // Lists an organization's entries, newest first, and removes its oldest.
      { key: { organization_id: 1, created_at: -1, _id: -1 }, name: 'by_organization' },
    ], restoring<AuditDoc>({ project_id: null, actor_id: null, actor_name: null, resource_id: null }));
  }

  /** Returns one page, newest first, and the total number of matching entries. */
  async list(
    organizationId: string, criteria: AuditFilter, { skip, limit }: { skip: number; limit: number },
  ): Promise<{ entries: AuditDoc[]; total: number }> {
    const applied = Object.entries(criteria).filter(([, value]) => value !== undefined);
    const filter = { organization_id: organizationId, ...Object.fromEntries(applied) };
    const [entries, total] = await Promise.all([
      this.select(filter).sort({ created_at: -1, _id: -1 }).skip(skip).limit(limit).toArray(),
      this.count(filter),
    ]);
    return { entries, total };
  }

  /** Removes up to `limit` entries of an organization older than `before`, Unix ms; returns how many. */
  async removeOlder(organizationId: string, before: number, limit: number): Promise<number> {
    const filter = { organization_id: organizationId, created_at: { $lt: before } };
    const oldest = this.all.find(filter).sort({ created_at: 1, _id: 1 }).limit(limit);
    const ids = (await oldest.project<{ _id: string }>({ _id: 1 }).toArray()).map((doc) => doc._id);
    if (ids.length > 0) await this.all.deleteMany({ _id: { $in: ids } });
    return ids.length;
  }
}
