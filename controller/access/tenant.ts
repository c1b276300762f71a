/** Owns everything that users create: one project of one organization. */
export interface Tenant {
  organizationId: string;
  projectId: string;
}

/** The filter that isolates tenants. Every query for a tenant's data must include it. */
export function ownedBy({ organizationId, projectId }: Tenant) {
  return { organization_id: organizationId, project_id: projectId };
}

export function tenantOf(
  { organization_id: organizationId, project_id: projectId }: ReturnType<typeof ownedBy>,
): Tenant {
  return { organizationId, projectId };
}

export type OrganizationRole = 'owner' | 'admin' | 'member' | 'viewer';
export type ProjectRole = 'admin' | 'editor' | 'viewer';
export type KeyScope = 'read' | 'read_write';

interface Roles {
  role: OrganizationRole;
  /** Roles of a `member`, by project id. Other organization roles ignore it. */
  project_roles: Record<string, ProjectRole>;
}

/** A person's roles in one organization. */
export interface Membership extends Roles {
  organization_id: string;
}

export interface ProjectFacts {
  _id: string;
  organization_id: string;
  is_default: boolean;
}

const ORGANIZATION_ORDER: OrganizationRole[] = ['viewer', 'member', 'admin', 'owner'];
const PROJECT_ORDER: ProjectRole[] = ['viewer', 'editor', 'admin'];

/** Whether `role` allows everything that `needed` allows. */
export function reachesOrganizationRole(role: OrganizationRole, needed: OrganizationRole): boolean {
  return ORGANIZATION_ORDER.indexOf(role) >= ORGANIZATION_ORDER.indexOf(needed);
}

/** Whether `role` allows everything that `needed` allows. */
export function reachesProjectRole(role: ProjectRole, needed: ProjectRole): boolean {
  return PROJECT_ORDER.indexOf(role) >= PROJECT_ORDER.indexOf(needed);
}

/** Whether `role` may see the credentials that checks send and the tokens of heartbeats. */
export function canSeeCredentials(role: ProjectRole): boolean {
  return reachesProjectRole(role, 'editor');
}

/**
 * Returns the member's role in the project, or null for no access. Owners and admins administer every
 * project, viewers see every project, and a `member` needs a project role, except in the default project:
 * editor.
 */
export function projectRoleOf(member: Roles | null | undefined, project: ProjectFacts): ProjectRole | null {
  if (!member) return null;
  if (member.role === 'owner' || member.role === 'admin') return 'admin';
  if (member.role === 'viewer') return 'viewer';
  return member.project_roles[project._id] ?? (project.is_default ? 'editor' : null);
}
