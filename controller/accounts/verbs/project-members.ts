import { projectRoleOf } from '../../http/roles.ts';
import type { OrganizationContext, ProjectRole } from '../../http/route.ts';
import { fieldError } from '../../http/validation.ts';
import type { AccountDeps } from '../deps.ts';
import type { ProjectMembersInput } from '../schema.ts';
import { listMembers, type MemberOf } from './members.ts';
import { readProject } from './projects.ts';

export interface ProjectMember extends MemberOf {
  role: ProjectRole;
}

/** Everybody who has a role in the project, by whatever. Throws PROJECT_NOT_FOUND. */
export async function listProjectMembers(deps: AccountDeps, ctx: OrganizationContext, projectId: string): Promise<ProjectMember[]> {
  const { project } = await readProject(deps, ctx, projectId);
  return (await listMembers(deps, ctx)).flatMap((one) => {
    const role = projectRoleOf(one.member, project);
    return role === null ? [] : [{ ...one, role }];
  });
}

/**
 * Gives the organization's `member`s exactly these roles in the project; who is not named has none (in the default project:
 * editor). Owners, admins and viewers have theirs by their role in the organization; naming them so is allowed.
 * Throws PROJECT_NOT_FOUND, VALIDATION_ERROR for strangers, repetitions and roles that cannot be given.
 */
export async function setProjectMembers(deps: AccountDeps, ctx: OrganizationContext, projectId: string, input: ProjectMembersInput): Promise<ProjectMember[]> {
  const { project } = await readProject(deps, ctx, projectId);
  const members = await listMembers(deps, ctx);
  const given = new Map(input.members.map(({ user_id, role }) => [user_id, role]));
  input.members.forEach(({ user_id, role }, at) => {
    const found = members.find(({ user }) => user._id === user_id);
    if (found === undefined) throw fieldError(`members.${at}.user_id`, 'No member of the organization');
    if (input.members.findIndex((one) => one.user_id === user_id) !== at) throw fieldError(`members.${at}.user_id`, 'Named twice');
    const isFixed = found.member.role !== 'member';
    if (isFixed && projectRoleOf(found.member, project) !== role) {
      throw fieldError(`members.${at}.role`, `Has its role in every project as ${found.member.role} of the organization`);
    }
  });
  await Promise.all(
    members.filter(({ member }) => member.role === 'member').map(({ member }) => deps.members.setProjectRole(member, projectId, given.get(member.user_id) ?? null)),
  );
  return listProjectMembers(deps, ctx, projectId);
}
