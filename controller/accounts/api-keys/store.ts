import type { Db } from 'mongodb';
import { Documents, restoring } from '../../platform/mongo/documents.ts';
import type { KeyScope } from '../../access/tenant.ts';
import type { ApiKeyListQuery } from '../schema.ts';

export interface ApiKeyDoc {
  _id: string;
  organization_id: string;
  name: string;
  scope: KeyScope;
  /** SHA-256 of the key, hexadecimal, unique. The key itself is not stored. */
  hash: string;
  preview: string;
  created_by: string;
  created_at: number;
  last_used_at: number | null;
  /** Unix ms; null: never. */
  expires_at: number | null;
  /** Null: all projects of the organization. */
  project_ids: string[] | null;
}

export type ApiKeySecret = Pick<ApiKeyDoc, 'hash' | 'preview' | 'created_by' | 'created_at' | 'last_used_at'>;

/** Collection `api_keys`. Revoked keys are deleted. */
export class ApiKeyStore extends Documents<ApiKeyDoc> {
  constructor(db: Db) {
    super(db, 'api_keys', [
      // Authenticates requests.
      { key: { hash: 1 }, name: 'by_hash', unique: true },
      // Lists an organization's keys. The list is short, so the database sorts by other fields in memory.
      { key: { organization_id: 1, created_at: 1, _id: 1 }, name: 'by_organization' },
    ], restoring<ApiKeyDoc>({ last_used_at: null, expires_at: null, project_ids: null }));
  }

  findByHash(hash: string): Promise<ApiKeyDoc | null> {
    return this.findOne({ hash });
  }

  /** Returns one page and the total number of the organization's keys. */
  async list(organizationId: string, query: ApiKeyListQuery): Promise<{ keys: ApiKeyDoc[]; total: number }> {
    const { limit, offset, sort_by, sort_order } = query;
    const direction = sort_order === 'desc' ? -1 : 1;
    const all = this.select({ organization_id: organizationId });
    const page = all.sort({ [sort_by]: direction, _id: direction }).skip(offset).limit(limit);
    const [keys, total] = await Promise.all([page.toArray(), this.countOfOrganization(organizationId)]);
    return { keys, total };
  }

  /** Keys that this user created or last rotated, oldest first. */
  createdBy(organizationId: string, userId: string): Promise<ApiKeyDoc[]> {
    const filter = { organization_id: organizationId, created_by: userId };
    return this.select(filter).sort({ created_at: 1, _id: 1 }).toArray();
  }

  /** Returns the number of deleted keys. */
  async deleteCreatedBy(organizationId: string, userId: string): Promise<number> {
    const filter = { organization_id: organizationId, created_by: userId };
    return (await this.all.deleteMany(filter)).deletedCount;
  }

  countOfOrganization(organizationId: string): Promise<number> {
    return this.count({ organization_id: organizationId });
  }

  /** Null if the organization has no such key. */
  replaceSecret(organizationId: string, id: string, secret: ApiKeySecret): Promise<ApiKeyDoc | null> {
    return this.change({ _id: id, organization_id: organizationId }, { $set: secret });
  }

  /** False if the organization has no such key. */
  delete(organizationId: string, id: string): Promise<boolean> {
    return this.remove({ _id: id, organization_id: organizationId });
  }

  touch(id: string, hash: string, now: number): Promise<boolean> {
    return this.update({ _id: id, hash }, { $set: { last_used_at: now } });
  }
}
