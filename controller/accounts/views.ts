import type { z } from 'zod';
import { isoTime } from '../../shared/time.ts';
import { projectRoleOf, type Membership } from '../http/roles.ts';
import type { AuditActor, ProjectRole } from '../http/route.ts';
import type { ApiKeyDoc, InvitationDoc, OrganizationDoc, ProjectDoc, UserDoc } from './account.ts';
import type { apiKeyView, freshApiKeyView, invitationView, memberView, organizationView, ownProjectView, projectMembersAnswer, projectView, userView } from './schema.ts';
import type { StartedSession } from './sessions.ts';
import type { MemberOf } from './verbs/members.ts';
import type { ProjectMember } from './verbs/project-members.ts';
import type { Belongings } from './verbs/sign-in.ts';

export function viewUser(user: UserDoc): z.input<typeof userView> {
  return {
    id: user._id, email: user.email, name: user.name, email_verified: user.email_verified,
    is_operator: user.is_operator, created_at: isoTime(user.created_at),
  };
}

/** An organization as one of its members sees it. */
export function viewOrganization(organization: OrganizationDoc, membership: Pick<Membership, 'role'>): z.input<typeof organizationView> {
  return { id: organization._id, name: organization.name, role: membership.role, plan: organization.plan };
}

export function viewProject(project: ProjectDoc, role: ProjectRole): z.input<typeof projectView> {
  return {
    id: project._id, name: project.name, is_default: project.is_default, organization_id: project.organization_id,
    role, created_at: isoTime(project.created_at),
  };
}

/** The projects that these memberships give a role in, as their account's answer lists them. */
export function viewOwnProjects(projects: ProjectDoc[], memberships: Membership[]): z.input<typeof ownProjectView>[] {
  return projects.flatMap((project) => {
    const membership = memberships.find((one) => one.organization_id === project.organization_id);
    const role = membership === undefined ? null : projectRoleOf(membership, project);
    if (role === null) return [];
    const { created_at: _untold, ...view } = viewProject(project, role);
    return [view];
  });
}

export function viewApiKey(key: ApiKeyDoc): z.input<typeof apiKeyView> {
  return {
    id: key._id, name: key.name, key_preview: key.preview, scope: key.scope,
    created_at: isoTime(key.created_at), last_used_at: isoTime(key.last_used_at),
  };
}

/** With the key itself: the only time it is shown. */
export function viewFreshApiKey(doc: ApiKeyDoc, key: string): z.input<typeof freshApiKeyView> {
  return { ...viewApiKey(doc), key, message: 'Store this key securely: it is not shown again' };
}

export function viewMember({ member, user }: MemberOf): z.input<typeof memberView> {
  return {
    user_id: user._id, email: user.email, name: user.name, role: member.role, project_roles: member.project_roles, joined_at: isoTime(member.created_at),
  };
}

export function viewProjectMember({ member, user, role }: ProjectMember): z.input<typeof projectMembersAnswer>['members'][number] {
  return { user_id: user._id, email: user.email, name: user.name, role, organization_role: member.role };
}

export function viewInvitation(invitation: InvitationDoc, now: number): z.input<typeof invitationView> {
  const { _id: id, email, role, project_roles, invited_by, created_at, expires_at } = invitation;
  return { id, email, role, project_roles, invited_by, is_expired: expires_at <= now, created_at: isoTime(created_at), expires_at: isoTime(expires_at) };
}

export function viewSession(session: StartedSession): { token: string; expires_at: string } {
  return { token: session.token, expires_at: isoTime(session.expiresAt) };
}

export function viewOrganizations({ memberships, organizations }: Belongings): z.input<typeof organizationView>[] {
  return memberships.flatMap((membership) => {
    const organization = organizations.find((one) => one._id === membership.organization_id);
    return organization === undefined ? [] : [viewOrganization(organization, membership)];
  });
}

/** Who made a change, where the request itself does not say. */
export function auditActor(user: UserDoc): AuditActor {
  return { type: 'user', id: user._id, name: user.name };
}
