import type { Collection, Db } from 'mongodb';
import { ensureIndexes } from '../platform/mongo/indexes.ts';
import type { ApiKeyDoc } from './account.ts';

export interface ApiKeyListQuery {
  limit: number;
  offset: number;
  sortBy: 'created_at' | 'name' | 'last_used_at';
  isDescending: boolean;
}

/** Collection `api_keys`: a revoked key is not here any more. */
export class ApiKeyStore {
  readonly #keys: Collection<ApiKeyDoc>;

  constructor(db: Db) {
    this.#keys = db.collection<ApiKeyDoc>('api_keys');
  }

  async ensureIndexes(): Promise<void> {
    await ensureIndexes(this.#keys, [
      // Every request with a key.
      { key: { hash: 1 }, name: 'by_hash', unique: true },
      // The list of an organization's keys; it is short, its other orders are sorted in memory.
      { key: { organization_id: 1, created_at: 1, _id: 1 }, name: 'by_organization' },
    ]);
  }

  findByHash(hash: string): Promise<ApiKeyDoc | null> {
    return this.#keys.findOne({ hash });
  }

  async list(organizationId: string, query: ApiKeyListQuery): Promise<{ keys: ApiKeyDoc[]; total: number }> {
    const direction = query.isDescending ? -1 : 1;
    const filter = { organization_id: organizationId };
    const [keys, total] = await Promise.all([
      this.#keys.find(filter).sort({ [query.sortBy]: direction, _id: direction }).skip(query.offset).limit(query.limit).toArray(),
      this.#keys.countDocuments(filter),
    ]);
    return { keys, total };
  }

  countOfOrganization(organizationId: string): Promise<number> {
    return this.#keys.countDocuments({ organization_id: organizationId });
  }

  async insert(key: ApiKeyDoc): Promise<void> {
    await this.#keys.insertOne(key);
  }

  /** Puts another secret in the old one's place; null when the organization has no such key. */
  replaceSecret(organizationId: string, id: string, secret: Pick<ApiKeyDoc, 'hash' | 'preview' | 'created_at' | 'created_by'>): Promise<ApiKeyDoc | null> {
    return this.#keys.findOneAndUpdate(
      { _id: id, organization_id: organizationId },
      { $set: { ...secret, last_used_at: null } },
      { returnDocument: 'after' },
    );
  }

  /** False when the organization has no such key. */
  async delete(organizationId: string, id: string): Promise<boolean> {
    return (await this.#keys.deleteOne({ _id: id, organization_id: organizationId })).deletedCount === 1;
  }

  async touch(id: string, hash: string, now: number): Promise<void> {
    await this.#keys.updateOne({ _id: id, hash }, { $set: { last_used_at: now } });
  }
}
