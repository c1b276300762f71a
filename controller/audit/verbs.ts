import type { OrganizationContext } from '../http/route.ts';
import type { AuditDoc } from './entry.ts';
import type { AuditListQuery } from './schema.ts';
import type { AuditStore } from './store.ts';

export interface AuditDeps {
  entries: Pick<AuditStore, 'list'>;
}

/** One page of the organization's changes, newest first. */
export function listChanges(deps: AuditDeps, ctx: OrganizationContext, query: AuditListQuery): Promise<{ entries: AuditDoc[]; total: number }> {
  const { page, limit, action, actor_id: actorId, resource_id: resourceId } = query;
  return deps.entries.list({ organizationId: ctx.tenant.organizationId, action, actorId, resourceId, skip: (page - 1) * limit, limit });
}
