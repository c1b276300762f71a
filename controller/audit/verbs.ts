import { z } from 'zod';
import { queryInt } from '../http/input/validation.ts';
import type { OrganizationContext } from '../http/routing/route.ts';
import type { AuditStore } from './store.ts';

const filterValue = z.string().min(1).max(100);

export const auditQuery = z.strictObject({
  page: queryInt({ min: 1, max: 100_000, fallback: 1 }),
  limit: queryInt({ min: 1, max: 100, fallback: 20 }),
  action: filterValue.describe('Only this action, for example `monitor.created`').optional(),
  actor_id: filterValue.optional(),
  resource_id: filterValue.optional(),
});

export interface AuditDeps {
  entries: Pick<AuditStore, 'list'>;
}

/** One page of the organization's changes, newest first. */
export function listChanges(deps: AuditDeps, ctx: OrganizationContext, query: z.output<typeof auditQuery>) {
  const { page, limit, ...filter } = query;
  return deps.entries.list(ctx.tenant.organizationId, filter, { skip: (page - 1) * limit, limit });
}
