import { AppError, notFound } from '../../../shared/errors.ts';
import type { Tenant } from '../../accounts/tenant.ts';
import type { PageDeps } from '../deps.ts';
import { MOST_UPDATES, type PostDoc, type PostStatus } from './post.ts';
import { resolvedAt } from './post-rules.ts';
import type { PostChange } from './post-store.ts';

// Every post and every update of one is written here, whether a person or an incident causes it.

type SavingDeps = Pick<PageDeps, 'posts' | 'told'>;

/** Attempts of a change that others make at the same time. */
const ATTEMPTS = 5;

/** False, and without effect, if there is a post with its id. */
export async function addPost({ posts, told }: SavingDeps, post: PostDoc): Promise<boolean> {
  const isNew = await posts.insertIfFree({ untold_since: post.published_at, ...post });
  if (isNew) told();
  return isNew;
}

/**
 * Makes the change that `decide` derives from the present post; null: none. Throws RESOURCE_NOT_FOUND,
 * CONFLICT.
 */
export async function revisePost(
  deps: SavingDeps, tenant: Tenant, pageId: string, id: string, decide: (seen: PostDoc) => PostChange | null,
): Promise<PostDoc> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const seen = await findPost(deps, tenant, pageId, id);
    const change = decide(seen);
    const post = change === null ? seen : await deps.posts.revise(seen, change);
    if (post?.untold_since !== undefined) deps.told();
    if (post !== null) return post;
  }
  throw new AppError('CONFLICT', 'This incident is being changed by another request; try again');
}

/** Throws RESOURCE_NOT_FOUND. */
export async function findPost(
  { posts }: Pick<SavingDeps, 'posts'>, tenant: Tenant, pageId: string, id: string,
): Promise<PostDoc> {
  const post = await posts.find(tenant, pageId, id);
  if (post === null) throw notFound('Incident');
  return post;
}

/** The change that moves a post on with an update. Throws FAIR_USE_LIMIT_REACHED. */
export function withUpdate(seen: PostDoc, status: PostStatus, message: string, now: number): PostChange {
  if (seen.updates.length >= MOST_UPDATES) {
    const text = `An incident can have at most ${MOST_UPDATES} updates`;
    throw new AppError('FAIR_USE_LIMIT_REACHED', text, { details: { limit: MOST_UPDATES } });
  }
  return {
    status, updated_at: now, untold_since: now, resolved_at: resolvedAt(seen, status, now),
    updates: [...seen.updates, { status, message, created_at: now }],
  };
}
