import type { components } from '../api/openapi.d.ts';
import { organization } from '../api/session.ts';

type ProjectMember = components['schemas']['ProjectMember'];
export type Role = components['schemas']['Member']['role'];
export type ProjectRole = ProjectMember['role'];

const ROLES = ['owner', 'admin', 'member', 'viewer'] as const satisfies readonly Role[];
export const PROJECT_ROLES = ['admin', 'editor', 'viewer'] as const satisfies readonly ProjectRole[];

/** Roles that the user may assign: only owners may appoint owners. */
export function assignableRoles(): readonly Role[] {
  return organization.value?.role === 'owner' ? ROLES : ROLES.slice(1);
}

/** A role in a project: an assigned one, the default project's own, or none. */
export type ProjectRoleChoice = ProjectRole | '';

interface OrganizationMember {
  user_id: string;
  name: string;
  role: Role;
}

/** Members whose project role can be chosen, with that role; others get theirs from the organization. */
export function memberChoices(
  members: OrganizationMember[], inProject: ProjectMember[],
): { id: string; name: string; role: ProjectRoleChoice }[] {
  return members.filter(({ role }) => role === 'member').map(({ user_id: id, name }) => ({
    id, name, role: inProject.find((one) => one.user_id === id)?.role ?? '',
  }));
}
