import { isoTime } from '../../shared/time.ts';
import type { AuditActor } from '../http/routing/route.ts';
import type { ApiKeyDoc } from './api-keys/store.ts';
import type { IssuedKey } from './api-keys/verbs.ts';
import type { NamedCredential } from './deps.ts';
import type { InvitationDoc } from './invitations/store.ts';
import type { MemberCredentials, NamedMember } from './members/verbs.ts';
import type { OrganizationDoc } from './organizations/store.ts';
import type { ProjectMember } from './projects/verbs/members.ts';
import type { VisibleProject } from './projects/verbs/projects.ts';
import type { OrganizationRole } from '../access/tenant.ts';
import type { SessionDoc } from './sessions/store.ts';
import type { Account } from './sessions/verbs.ts';
import type { UserDoc } from './users/store.ts';

export function viewUser({ _id: id, email, name, email_verified, is_operator, created_at }: UserDoc) {
  return { id, email, name, email_verified, is_operator, created_at: isoTime(created_at) };
}

export function viewOrganization({ _id: id, name, plan }: OrganizationDoc, role: OrganizationRole) {
  return { id, name, role, plan };
}

export function viewProject({ project, role }: VisibleProject) {
  const { _id: id, name, is_default, organization_id, created_at } = project;
  return { id, name, is_default, organization_id, role, created_at: isoTime(created_at) };
}

/** A project in the response of `/api/auth/me`. */
export function viewOwnProject(visible: VisibleProject) {
  const { created_at: _omitted, ...view } = viewProject(visible);
  return view;
}

export function viewAccount({ user, memberships }: Account) {
  return {
    user: viewUser(user),
    organizations: memberships.map(({ organization, member }) => viewOrganization(organization, member.role)),
  };
}

/** Safe to show: the id is the hash of the session's secret, which grants no access. */
export function viewSession({ _id: id, created_at, expires_at }: SessionDoc, currentId: string) {
  return {
    id, is_current: id === currentId, created_at: isoTime(created_at), expires_at: isoTime(expires_at),
  };
}

export function viewApiKey(key: ApiKeyDoc) {
  const { _id: id, name, preview: key_preview, scope, project_ids } = key;
  const [created_at, last_used_at, expires_at] =
    [isoTime(key.created_at), isoTime(key.last_used_at), isoTime(key.expires_at)];
  return { id, name, key_preview, scope, project_ids, created_at, last_used_at, expires_at };
}

/** Includes the key itself. No other response contains it. */
export function viewFreshApiKey({ doc, key }: IssuedKey) {
  return { key, message: 'Store this key securely; it will not be shown again', ...viewApiKey(doc) };
}

export function viewMember({ member, user }: NamedMember) {
  const { user_id, role, project_roles, created_at } = member;
  return { user_id, email: user.email, name: user.name, role, project_roles, joined_at: isoTime(created_at) };
}

export function viewMemberCredentials({ keys, subscriptions, enrolmentKeys }: MemberCredentials) {
  const viewNamed = ({ _id: id, name, created_at }: NamedCredential) =>
    ({ id, name, created_at: isoTime(created_at) });
  return {
    api_keys: keys.map(viewApiKey), subscriptions: subscriptions.map(viewNamed),
    enrolment_keys: enrolmentKeys.map(viewNamed),
  };
}

export function viewProjectMember({ member, user, role }: ProjectMember) {
  return { user_id: user._id, email: user.email, name: user.name, role, organization_role: member.role };
}

export function viewInvitation(invitation: InvitationDoc, now: number) {
  const { _id: id, email, role, project_roles, invited_by, created_at, expires_at } = invitation;
  return {
    id, email, role, project_roles, invited_by, is_expired: expires_at <= now,
    created_at: isoTime(created_at), expires_at: isoTime(expires_at),
  };
}

/** Actor of the audit log entry for requests that carry no session yet. */
export function auditActor({ _id: id, name }: UserDoc): AuditActor {
  return { type: 'user', id, name };
}
