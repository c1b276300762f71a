import type { Tenant } from '../../accounts/tenant.ts';
import type { CommentStore } from '../comments/store.ts';
import type { IncidentStore } from '../store.ts';
import type { IncidentUpdateStore } from '../timeline/update-store.ts';

interface AgedIncidents {
  incidents: Pick<IncidentStore, 'agedIds' | 'remove'>;
  updates: Pick<IncidentUpdateStore, 'removeOf'>;
  comments: Pick<CommentStore, 'removeOf'>;
}

/**
 * Removes at most `limit` incidents of a project that ended, and that nobody has touched, since `before` (Unix ms), each
 * after its history and comments. Returns how many; `limit` when there may be more. Open ones stay whatever their age.
 */
export async function forgetIncidents(stores: AgedIncidents, tenant: Tenant, before: number, limit: number): Promise<number> {
  const ids = await stores.incidents.agedIds(tenant, before, limit);
  await Promise.all([stores.updates.removeOf(ids), stores.comments.removeOf(ids)]);
  await stores.incidents.remove(ids);
  return ids.length;
}
