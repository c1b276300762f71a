import { canSeeCredentials } from '../../access/tenant.ts';
import { notFound } from '../../errors/app-error.ts';
import type { ProjectContext } from '../../http/routing/route.ts';
import { loadPage } from '../../status-pages/verbs/read-pages.ts';
import type { BulkResult } from '../responses.ts';
import type { SubscriberDeps } from '../deps.ts';
import type { ExportQuery, PreferencesInput, SubscriberListQuery } from '../schema.ts';
import { CSV_HEAD, subscriberLine } from '../subscriber-csv.ts';
import type { SubscriberDoc } from '../subscriber.ts';

/** Limit of an export. */
const MAX_EXPORTED = 10_000;
const EXPORT_BATCH_SIZE = 500;

type ManageDeps = Pick<SubscriberDeps, 'pages' | 'subscribers'>;

/** One page of the list. Throws RESOURCE_NOT_FOUND, ACCESS_DENIED. */
export async function listSubscribers(
  deps: ManageDeps, { tenant, role }: ProjectContext, pageId: string, query: SubscriberListQuery,
) {
  await loadPage(deps, tenant, pageId);
  const { page, limit, ...options } = query;
  const isConcealed = !canSeeCredentials(role);
  // Sorting by concealed addresses would reveal them letter by letter, between addresses that the caller
  // subscribed.
  const sort = isConcealed && options.sort === 'email' ? 'subscribed_at' : options.sort;
  const listing = { ...options, sort, isConcealed, skip: (page - 1) * limit, limit };
  const { subscribers, total } = await deps.subscribers.list(tenant, pageId, listing);
  return { subscribers, pagination: { page, limit, total_count: total, has_more: page * limit < total } };
}

/** Throws RESOURCE_NOT_FOUND, ACCESS_DENIED. */
export async function readSubscriber(
  deps: ManageDeps, { tenant }: ProjectContext, pageId: string, id: string,
): Promise<SubscriberDoc> {
  await loadPage(deps, tenant, pageId);
  const found = await deps.subscribers.findOfPage(tenant, pageId, id);
  if (found === null) throw notFound('Subscriber');
  return found;
}

/** Changes only the given preferences. Throws RESOURCE_NOT_FOUND, ACCESS_DENIED. */
export async function changeSubscriber(
  deps: ManageDeps, ctx: ProjectContext, pageId: string, id: string, preferences: PreferencesInput,
): Promise<SubscriberDoc> {
  const seen = await readSubscriber(deps, ctx, pageId, id);
  const changed = await deps.subscribers.changePreferences(id, {
    preferences: { ...seen.preferences, ...preferences },
  });
  if (changed === null) throw notFound('Subscriber');
  return changed;
}

/** Throws RESOURCE_NOT_FOUND, ACCESS_DENIED. */
export async function deleteSubscriber(
  deps: ManageDeps, { tenant }: ProjectContext, pageId: string, id: string,
): Promise<void> {
  await loadPage(deps, tenant, pageId);
  if (!(await deps.subscribers.deleteOfPage(tenant, pageId, id))) throw notFound('Subscriber');
}

/** Reports for each id why it wasn't deleted. Throws RESOURCE_NOT_FOUND, ACCESS_DENIED. */
export async function deleteSubscribers(
  deps: ManageDeps, { tenant }: ProjectContext, pageId: string, ids: string[],
): Promise<BulkResult> {
  await loadPage(deps, tenant, pageId);
  const found = new Set((await deps.subscribers.findAllOfPage(tenant, pageId, ids)).map(({ _id }) => _id));
  await deps.subscribers.deleteAllOfPage(tenant, pageId, [...found]);
  return bulkResult(ids, (id) => (found.has(id) ? null : 'Subscriber not found'));
}

/**
 * Lines of a CSV file sorted by address, read from the database as the client consumes them. Throws
 * RESOURCE_NOT_FOUND, ACCESS_DENIED.
 */
export async function exportSubscribers(
  deps: ManageDeps, { tenant }: ProjectContext, pageId: string, query: ExportQuery,
): Promise<AsyncIterable<string>> {
  await loadPage(deps, tenant, pageId);
  return (async function* lines() {
    yield CSV_HEAD;
    let email = '';
    for (let remaining = MAX_EXPORTED; remaining > 0; remaining -= EXPORT_BATCH_SIZE) {
      const batch = await deps.subscribers.after(tenant, pageId, query, email, EXPORT_BATCH_SIZE);
      if (batch.length > 0) yield batch.map(subscriberLine).join('');
      if (batch.length < EXPORT_BATCH_SIZE) return;
      email = batch.at(-1)?.email as string;
    }
  })();
}

/** `problemOf` returns why nothing was done for an id; null if it was done. */
export function bulkResult(ids: string[], problemOf: (id: string) => string | null): BulkResult {
  const errors = ids.flatMap((subscriber_id) => {
    const error = problemOf(subscriber_id);
    return error === null ? [] : [{ subscriber_id, error }];
  });
  return { success_count: ids.length - errors.length, failed_count: errors.length, errors };
}
