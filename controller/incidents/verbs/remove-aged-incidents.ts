import type { Tenant } from '../../accounts/tenant.ts';
import type { IncidentDeps } from '../deps.ts';

type AgedStores = Pick<IncidentDeps, 'incidents' | 'updates' | 'comments'>;

/**
 * Removes incidents of a project that ended, and were last changed, before `before` (Unix ms), after their
 * history and comments. Returns how many; `limit` when there may be more.
 */
export async function removeAgedIncidents(stores: AgedStores, tenant: Tenant, before: number, limit: number) {
  const ids = await stores.incidents.agedIds(tenant, before, limit);
  await Promise.all([stores.updates.removeOf(ids), stores.comments.removeOf(ids)]);
  await stores.incidents.remove(ids);
  return ids.length;
}
