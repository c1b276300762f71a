import type { Db } from 'mongodb';
import { Documents } from '../platform/mongo/documents.ts';
import type { SubscriptionDoc } from './subscription.ts';

/** Collection `subscriptions`. */
export class SubscriptionStore extends Documents<SubscriptionDoc> {
  constructor(db: Db) {
    super(db, 'subscriptions', [
      // Lists and counts an organization's subscriptions.
      { key: { organization_id: 1, created_at: 1, _id: 1 }, name: 'by_organization' },
    ]);
  }

  /** Across all organizations. */
  list(): Promise<SubscriptionDoc[]> {
    return this.select({}).toArray();
  }

  /** Oldest first. */
  ofOrganization(organizationId: string): Promise<SubscriptionDoc[]> {
    return this.select({ organization_id: organizationId }).sort({ created_at: 1, _id: 1 }).toArray();
  }

  /** Oldest first. */
  createdBy(organizationId: string, userId: string): Promise<SubscriptionDoc[]> {
    const filter = { organization_id: organizationId, created_by: userId };
    return this.select(filter).sort({ created_at: 1, _id: 1 }).toArray();
  }

  /** Returns the number of deleted subscriptions. */
  async deleteCreatedBy(organizationId: string, userId: string): Promise<number> {
    const filter = { organization_id: organizationId, created_by: userId };
    return (await this.all.deleteMany(filter)).deletedCount;
  }

  countOfOrganization(organizationId: string): Promise<number> {
    return this.count({ organization_id: organizationId });
  }

  /** Null if the organization has no such subscription. */
  find(organizationId: string, id: string): Promise<SubscriptionDoc | null> {
    return this.findOne({ _id: id, organization_id: organizationId });
  }

  /** False if the organization has no such subscription. */
  delete(organizationId: string, id: string): Promise<boolean> {
    return this.remove({ _id: id, organization_id: organizationId });
  }
}
