import type { KeyActor, OrganizationRole, ProjectRole, SessionActor } from './route.ts';

export interface SessionIdentity {
  actor: SessionActor;
  isVerified: boolean;
}

export interface KeyIdentity {
  actor: KeyActor;
  organizationId: string;
}

export type Identity = SessionIdentity | KeyIdentity;

/** Who a credential stands for. Implemented by the accounts; what they answer is never older than a revocation. */
export interface CredentialReader {
  /** Throws INVALID_TOKEN or TOKEN_EXPIRED. */
  readSession(token: string, now: number): Promise<SessionIdentity>;
  /** Throws INVALID_API_KEY. */
  readKey(key: string, now: number): Promise<KeyIdentity>;
}

export interface Membership {
  organizationId: string;
  role: OrganizationRole;
  /** Roles given to a `member`, by project. */
  projectRoles: Record<string, ProjectRole>;
}

export interface ProjectFacts {
  id: string;
  organizationId: string;
  isDefault: boolean;
}

export interface TenantReader {
  /** Oldest membership first. */
  memberships(userId: string): Promise<Membership[]>;
  hasOrganization(organizationId: string): Promise<boolean>;
  /** Of any organization; null when there is none. */
  project(projectId: string): Promise<ProjectFacts | null>;
  /** Null when the organization is gone. */
  defaultProject(organizationId: string): Promise<ProjectFacts | null>;
}

export function isSession(identity: Identity): identity is SessionIdentity {
  return identity.actor.kind === 'session';
}

const ORGANIZATION_ORDER: OrganizationRole[] = ['viewer', 'member', 'admin', 'owner'];
const PROJECT_ORDER: ProjectRole[] = ['viewer', 'editor', 'admin'];

/** Whether `role` allows what `needed` allows. */
export function reachesOrganizationRole(role: OrganizationRole, needed: OrganizationRole): boolean {
  return ORGANIZATION_ORDER.indexOf(role) >= ORGANIZATION_ORDER.indexOf(needed);
}

/** Whether `role` allows what `needed` allows. */
export function reachesProjectRole(role: ProjectRole, needed: ProjectRole): boolean {
  return PROJECT_ORDER.indexOf(role) >= PROJECT_ORDER.indexOf(needed);
}

/**
 * A member's role in a project: owners and admins are admin everywhere, a viewer views everywhere, a member has what it
 * was given, and is editor of the default project unless given something else there. Null: no access.
 */
export function projectRoleOf(membership: Membership, project: ProjectFacts): ProjectRole | null {
  if (membership.role === 'owner' || membership.role === 'admin') return 'admin';
  if (membership.role === 'viewer') return 'viewer';
  return membership.projectRoles[project.id] ?? (project.isDefault ? 'editor' : null);
}
