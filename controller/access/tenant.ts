/** Owns everything that users create: one project of one organization. */
export interface Tenant {
  organizationId: string;
  projectId: string;
}

/** The filter that isolates tenants. Every query for a tenant's data must include it. */
export function ownedBy({ organizationId, projectId }: Tenant) {
  return { organization_id: organizationId, project_id: projectId };
}
