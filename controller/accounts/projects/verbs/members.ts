import type { OrganizationContext } from '../../../http/routing/route.ts';
import { fieldError } from '../../../http/input/validation.ts';
import type { AccountDeps, AccountStores } from '../../deps.ts';
import { listMembers, type NamedMember } from '../../members/verbs.ts';
import { projectRoleOf, type ProjectRole, type Tenant } from '../../../access/tenant.ts';
import type { ProjectMembersInput } from '../../schema.ts';
import { readProject } from './projects.ts';

export interface ProjectMember extends NamedMember {
  role: ProjectRole;
}

/**
 * Members with access to the project, including through their organization role. Throws PROJECT_NOT_FOUND.
 */
export async function listProjectMembers(deps: AccountDeps, ctx: OrganizationContext, projectId: string) {
  const { project } = await readProject(deps, ctx, projectId);
  return (await listMembers(deps, ctx)).flatMap((one) => {
    const role = projectRoleOf(one.member, project);
    return role === null ? [] : [{ ...one, role }];
  });
}

/**
 * Replaces the project roles of everyone with the organization role `member`. Others may only be listed with
 * the role they already have. Throws PROJECT_NOT_FOUND, and VALIDATION_ERROR for unknown or repeated users
 * and for roles that cannot be set.
 */
export async function setProjectMembers(
  deps: AccountDeps, ctx: OrganizationContext, projectId: string, input: ProjectMembersInput,
): Promise<ProjectMember[]> {
  const { project } = await readProject(deps, ctx, projectId);
  const members = (await listMembers(deps, ctx)).map(({ member }) => member);
  const roles = new Map<string, ProjectRole>();
  input.members.forEach(({ user_id, role }, at) => {
    const member = members.find((one) => one.user_id === user_id);
    if (member === undefined) throw fieldError(`members.${at}.user_id`, 'Not a member of the organization');
    if (roles.has(user_id)) throw fieldError(`members.${at}.user_id`, 'Listed twice');
    if (member.role !== 'member' && projectRoleOf(member, project) !== role) {
      const message = `Already has access to every project as organization ${member.role}`;
      throw fieldError(`members.${at}.role`, message);
    }
    roles.set(user_id, role);
  });
  const settable = members.filter(({ role }) => role === 'member');
  await Promise.all(settable.map((member) => {
    return deps.members.setProjectRole(member, projectId, roles.get(member.user_id) ?? null);
  }));
  return listProjectMembers(deps, ctx, projectId);
}

/** Null unless the user is a member of the organization and has access to the project. */
export async function findAssignee(stores: AccountStores, tenant: Tenant, userId: string) {
  const { organizationId, projectId } = tenant;
  const [member, project, user] = await Promise.all([
    stores.members.find(organizationId, userId), stores.projects.find(projectId), stores.users.find(userId),
  ]);
  if (!user || project?.organization_id !== organizationId) return null;
  return projectRoleOf(member, project) === null ? null : { id: user._id, name: user.name };
}
