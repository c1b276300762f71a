import { newId } from '../../../../shared/ids.ts';
import { ownedBy } from '../../../access/tenant.ts';
import { AppError, notFound } from '../../../errors/app-error.ts';
import type { ProjectContext } from '../../../http/routing/route.ts';
import { fieldError } from '../../../http/input/validation.ts';
import type { PageDeps } from '../../deps.ts';
import { loadPage } from '../../verbs/read-pages.ts';
import { MAX_POSTS, type PostDoc } from '../post.ts';
import { addPost, findPost, notAttached, resolvedAt, revisePost, withUpdate } from '../save-post.ts';
import type { PostChangeInput, PostInput, PostListInput, UpdateInput } from '../post-schema.ts';

export type PostDeps = Pick<PageDeps, 'pages' | 'posts' | 'notifySubscribers'>;

/** A person's first change of an automatic post stops it from following its incident. */
const BY_PERSON = { is_taken_over: true } as const;

/** One page of the list, newest first. Throws RESOURCE_NOT_FOUND, ACCESS_DENIED. */
export async function listPosts(deps: PostDeps, ctx: ProjectContext, pageId: string, query: PostListInput) {
  await loadPage(deps, ctx.tenant, pageId);
  const { page, limit, status } = query;
  const { posts, total } =
    await deps.posts.list(ctx.tenant, pageId, { status, skip: (page - 1) * limit, limit });
  return { posts, pagination: { page, limit, total_count: total, has_more: page * limit < total } };
}

/** Throws RESOURCE_NOT_FOUND, ACCESS_DENIED. */
export async function readPost(deps: PostDeps, { tenant }: ProjectContext, pageId: string, id: string) {
  await loadPage(deps, tenant, pageId);
  return findPost(deps, tenant, pageId, id);
}

/** Throws RESOURCE_NOT_FOUND, ACCESS_DENIED, VALIDATION_ERROR, FAIR_USE_LIMIT_REACHED. */
export async function createPost(deps: PostDeps, ctx: ProjectContext, pageId: string, input: PostInput) {
  const { tenant, now } = ctx;
  const page = await loadPage(deps, tenant, pageId);
  checkAttached(page.components, input.affected_monitor_ids);
  if ((await deps.posts.countOf(tenant, pageId)) >= MAX_POSTS) {
    const message = `A status page can have at most ${MAX_POSTS} incidents`;
    throw new AppError('FAIR_USE_LIMIT_REACHED', message, { details: { limit: MAX_POSTS } });
  }
  const { title, message, severity, affected_monitor_ids, status = 'investigating' } = input;
  const post: PostDoc = {
    _id: newId(now), ...ownedBy(tenant), page_id: pageId, revision: 1, incident_id: null,
    title, message, severity, status, affected_monitor_ids, updates: [], is_automatic: false,
    is_taken_over: false, notified_count: 0,
    published_at: now, updated_at: now, resolved_at: resolvedAt(null, status, now),
  };
  await addPost(deps, post);
  return post;
}

/** Changes only the given fields. Throws RESOURCE_NOT_FOUND, ACCESS_DENIED, VALIDATION_ERROR, CONFLICT. */
export async function changePost(
  deps: PostDeps, ctx: ProjectContext, pageId: string, id: string, input: PostChangeInput,
): Promise<PostDoc> {
  const { tenant, now } = ctx;
  const page = await loadPage(deps, tenant, pageId);
  const { title, message, severity, status, affected_monitor_ids: ids } = input;
  if (ids !== undefined) checkAttached(page.components, ids);
  const changes = Object.entries({ title, message, severity, status, affected_monitor_ids: ids })
    .filter(([, value]) => value !== undefined);
  return revisePost(deps, tenant, pageId, id, (seen) => ({
    ...Object.fromEntries(changes), ...BY_PERSON, updated_at: now,
    ...(status === undefined ? {} : { resolved_at: resolvedAt(seen, status, now) }),
  }));
}

/** Throws RESOURCE_NOT_FOUND, ACCESS_DENIED, FAIR_USE_LIMIT_REACHED, CONFLICT. */
export async function updatePost(
  deps: PostDeps, ctx: ProjectContext, pageId: string, id: string, { status, message }: UpdateInput,
): Promise<PostDoc> {
  await loadPage(deps, ctx.tenant, pageId);
  return revisePost(deps, ctx.tenant, pageId, id, (seen) => ({
    ...withUpdate(seen, status, message, ctx.now), ...BY_PERSON,
  }));
}

/** Leaves a resolved post unchanged. Throws RESOURCE_NOT_FOUND, ACCESS_DENIED, CONFLICT. */
export async function resolvePost(
  deps: PostDeps, ctx: ProjectContext, pageId: string, id: string, message = 'This incident has been resolved.',
): Promise<PostDoc> {
  await loadPage(deps, ctx.tenant, pageId);
  return revisePost(deps, ctx.tenant, pageId, id, (seen) => {
    if (seen.status === 'resolved') return null;
    return { ...withUpdate(seen, 'resolved', message, ctx.now), ...BY_PERSON };
  });
}

/** Throws RESOURCE_NOT_FOUND, ACCESS_DENIED. */
export async function deletePost(deps: PostDeps, { tenant }: ProjectContext, pageId: string, id: string) {
  await loadPage(deps, tenant, pageId);
  if (!(await deps.posts.delete(tenant, pageId, id))) throw notFound('Incident');
}

function checkAttached(components: readonly { monitor_id: string }[], ids: readonly string[]): void {
  const missing = notAttached(components, ids);
  if (missing.length === 0) return;
  throw fieldError('affected_monitor_ids', `Not on this status page: ${missing.join(', ')}`);
}
