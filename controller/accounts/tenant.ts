/** The owner of everything that users create: a project of an organization. */
export interface Tenant {
  organizationId: string;
  projectId: string;
}

/** The part of a query that keeps tenants apart; every query of a tenant's data begins with it. */
export function ownedBy({ organizationId, projectId }: Tenant) {
  return { organization_id: organizationId, project_id: projectId };
}
