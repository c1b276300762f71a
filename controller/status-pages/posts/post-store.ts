import type { Db } from 'mongodb';
import { ownedBy, type Tenant } from '../../access/tenant.ts';
import { Documents, restoring } from '../../platform/mongo/documents.ts';
import type { PostDoc, PostStatus } from './post.ts';

type Identity = '_id' | 'organization_id' | 'project_id' | 'page_id' | 'revision';
const OPEN: PostStatus[] = ['investigating', 'identified', 'monitoring'];
const RESOLVED: PostStatus[] = ['resolved'];

export type PostChange = Partial<Omit<PostDoc, Identity>>;

/** Collection `status_page_posts`. */
export class PostStore extends Documents<PostDoc> {
  constructor(db: Db) {
    super(db, 'status_page_posts', [
      // Lists a page's posts and finds those to delete with the page.
      { key: { page_id: 1, published_at: -1, _id: -1 }, name: 'list' },
      // Finds the posts that readers see.
      { key: { page_id: 1, status: 1, published_at: -1, _id: -1 }, name: 'by_status' },
      // Finds the posts that subscribers must be notified of.
      { key: { notify_pending_since: 1 }, name: 'notify_pending', sparse: true },
    ], restoring<PostDoc>({ incident_id: null, resolved_at: null }));
  }

  /** One page of the list, newest first, and the total. */
  async list(tenant: Tenant, pageId: string, { status, skip, limit }: {
    status: PostStatus | undefined; skip: number; limit: number;
  }): Promise<{ posts: PostDoc[]; total: number }> {
    const filter = { ...ownedBy(tenant), page_id: pageId, ...(status === undefined ? {} : { status }) };
    const total = await this.count(filter);
    if (skip >= total) return { posts: [], total };
    const found = this.select(filter).sort({ published_at: -1, _id: -1 }).skip(skip).limit(limit);
    return { total, posts: await found.toArray() };
  }

  /** Up to `limit` open posts and `limit` resolved ones, newest first. */
  async newest(tenant: Tenant, pageId: string, limit: number): Promise<PostDoc[]> {
    const found = await Promise.all([OPEN, RESOLVED].map((statuses) =>
      this.select({ ...ownedBy(tenant), page_id: pageId, status: { $in: statuses } })
        .sort({ published_at: -1, _id: -1 }).limit(limit).toArray()));
    return found.flat().sort((one, other) => other.published_at - one.published_at);
  }

  countOf(tenant: Tenant, pageId: string): Promise<number> {
    return this.count({ ...ownedBy(tenant), page_id: pageId });
  }

  /** Also null if the post belongs to another page. */
  find(tenant: Tenant, pageId: string, id: string): Promise<PostDoc | null> {
    return this.findOne({ ...ownedBy(tenant), page_id: pageId, _id: id });
  }

  /** The post after the change; null if it has changed since `seen` or no longer exists. */
  revise(seen: PostDoc, change: PostChange): Promise<PostDoc | null> {
    const { _id, organization_id, project_id, page_id, revision } = seen;
    const unchanged = { _id, organization_id, project_id, page_id, revision };
    return this.change(unchanged, { $set: { ...change, revision: revision + 1 } });
  }

  /** Posts that subscribers must be notified of, longest waiting first. */
  listUnnotified(limit: number): Promise<PostDoc[]> {
    return this.select({ notify_pending_since: { $gt: 0 } })
      .sort({ notify_pending_since: 1 }).limit(limit).toArray();
  }

  /** Marks everything in `seen` as notified. A post changed since then stays pending. */
  async markNotified({ _id, revision, updates }: PostDoc): Promise<void> {
    const change = { $set: { notified_count: updates.length + 1 }, $unset: { notify_pending_since: '' as const } };
    await this.update({ _id, revision }, change);
  }

  /** Deletes the oldest resolved automatic post to make room; false if there is none. */
  async deleteOldestAutomatic(tenant: Tenant, pageId: string): Promise<boolean> {
    const resolvedPosts = { ...ownedBy(tenant), page_id: pageId, status: 'resolved' as const, is_automatic: true };
    const [oldest] = await this.select(resolvedPosts).sort({ published_at: 1, _id: 1 }).limit(1).toArray();
    return oldest !== undefined && this.delete(tenant, pageId, oldest._id);
  }

  /** False if it no longer exists. */
  delete(tenant: Tenant, pageId: string, id: string): Promise<boolean> {
    return this.remove({ ...ownedBy(tenant), page_id: pageId, _id: id });
  }

  async deleteOfPage(tenant: Tenant, pageId: string): Promise<void> {
    await this.all.deleteMany({ ...ownedBy(tenant), page_id: pageId });
  }
}
