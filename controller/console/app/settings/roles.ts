import type { components } from '../api/openapi.d.ts';
import { organization } from '../session/session.ts';

type ProjectMember = components['schemas']['ProjectMember'];
export type Role = components['schemas']['Member']['role'];
export type ProjectRole = ProjectMember['role'];

const ROLES = ['owner', 'admin', 'member', 'viewer'] as const satisfies readonly Role[];
export const PROJECT_ROLES = ['admin', 'editor', 'viewer'] as const satisfies readonly ProjectRole[];

/** Roles that the reader may give: only owners appoint owners. */
export function assignableRoles(): readonly Role[] {
  return organization.value?.role === 'owner' ? ROLES : ROLES.slice(1);
}

/** What somebody has in a project: the role given to them, the default project's own, or none. */
export type ProjectRoleChoice = ProjectRole | '';

interface OrganizationMember {
  user_id: string;
  name: string;
  role: Role;
}

/** Whose role in a project can be chosen, and what it is; the others have theirs by the organization. */
export function memberChoices(
  members: OrganizationMember[], inProject: ProjectMember[],
): { id: string; name: string; role: ProjectRoleChoice }[] {
  return members.filter(({ role }) => role === 'member').map(({ user_id: id, name }) => ({
    id, name, role: inProject.find((one) => one.user_id === id)?.role ?? '',
  }));
}
