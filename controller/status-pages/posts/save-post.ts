import type { Tenant } from '../../access/tenant.ts';
import { AppError, notFound } from '../../errors/app-error.ts';
import { retryOnConflict } from '../../platform/mongo/mongo-errors.ts';
import type { PageDeps } from '../deps.ts';
import type { PostChange } from './post-store.ts';
import { MAX_UPDATES, type PostDoc, type PostStatus } from './post.ts';

// All posts and updates are written here, whether a person or an incident causes them.

type SaveDeps = Pick<PageDeps, 'posts' | 'notifySubscribers'>;

/** False, without effect, if a post with its id exists. */
export async function addPost({ posts, notifySubscribers }: SaveDeps, post: PostDoc): Promise<boolean> {
  const isNew = await posts.insertIfFree({ notify_pending_since: post.published_at, ...post });
  if (isNew) notifySubscribers();
  return isNew;
}

/**
 * Applies the change that `decide` derives from the current post; null for none. Throws RESOURCE_NOT_FOUND,
 * CONFLICT.
 */
export function revisePost(
  deps: SaveDeps, tenant: Tenant, pageId: string, id: string, decide: (seen: PostDoc) => PostChange | null,
): Promise<PostDoc> {
  return retryOnConflict('This incident is', async () => {
    const seen = await findPost(deps, tenant, pageId, id);
    const change = decide(seen);
    const post = change === null ? seen : await deps.posts.revise(seen, change);
    if (post?.notify_pending_since !== undefined) deps.notifySubscribers();
    return post;
  });
}

/** Throws RESOURCE_NOT_FOUND. */
export async function findPost(
  { posts }: Pick<SaveDeps, 'posts'>, tenant: Tenant, pageId: string, id: string,
): Promise<PostDoc> {
  const post = await posts.find(tenant, pageId, id);
  if (post === null) throw notFound('Incident');
  return post;
}

/** The change that adds an update to a post. Throws FAIR_USE_LIMIT_REACHED. */
export function withUpdate(seen: PostDoc, status: PostStatus, message: string, now: number): PostChange {
  if (seen.updates.length >= MAX_UPDATES) {
    const text = `An incident can have at most ${MAX_UPDATES} updates`;
    throw new AppError('FAIR_USE_LIMIT_REACHED', text, { details: { limit: MAX_UPDATES } });
  }
  return {
    status, updated_at: now, notify_pending_since: now, resolved_at: resolvedAt(seen, status, now),
    updates: [...seen.updates, { status, message, created_at: now }],
  };
}

/** When a post with this status was resolved; a resolved post keeps its time. */
export function resolvedAt(seen: Pick<PostDoc, 'resolved_at'> | null, status: PostStatus, now: number) {
  return status === 'resolved' ? (seen?.resolved_at ?? now) : null;
}

/** The monitors in `ids` that a page doesn't show. */
export function notAttached(components: readonly { monitor_id: string }[], ids: readonly string[]): string[] {
  const attached = new Set(components.map((component) => component.monitor_id));
  return ids.filter((id) => !attached.has(id));
}
