import type { Tenant } from '../../accounts/tenant.ts';
import type { RemovalRepository } from '../ports.ts';

export interface HeirDeps {
  groups: { names(tenant: Tenant, ids: string[]): Promise<Map<string, string>> };
  removals: Pick<RemovalRepository, 'targets'>;
}

/** Of those of `ids` that are no group any more, the group that got their monitors; null: none did, or nobody remembers. */
export async function findHeirs(deps: HeirDeps, tenant: Tenant, ids: string[]): Promise<Map<string, string | null>> {
  const living = await deps.groups.names(tenant, ids);
  const gone = ids.filter((id) => !living.has(id));
  if (gone.length === 0) return new Map();
  // In this order: a removal is written before its group goes.
  const targets = await deps.removals.targets(tenant, gone);
  return new Map(gone.map((id) => [id, targets.get(id) ?? null]));
}
