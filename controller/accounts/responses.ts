import { z } from 'zod';
import { PLAN_NAMES, planLimits } from '../plans/plans.ts';
import { keyScope, organizationRole, projectRole } from './schema.ts';

const id = z.uuid();
const text = z.string();
const instant = z.iso.datetime();
const plan = z.enum(PLAN_NAMES);
const projectRoles = z.record(text, projectRole);

const userView = z.strictObject({
  id, email: text, name: text, email_verified: z.boolean(), is_operator: z.boolean(), created_at: instant,
}).meta({ id: 'User' });
const organizationView = z.strictObject({ id, name: text, role: organizationRole, plan })
  .meta({ id: 'Organization' });
const projectView = z.strictObject({
  id, name: text, is_default: z.boolean(), organization_id: id, role: projectRole, created_at: instant,
}).meta({ id: 'Project' });
const ownProjectView = projectView.omit({ created_at: true }).meta({ id: 'OwnProject' });

const sessionView = z.strictObject({
  token: text.nullable().describe('The session token; null when it was set as a cookie.'), expires_at: instant,
});
export const registerResponse = z.strictObject({
  user: userView, organization: organizationView, project: projectView, ...sessionView.shape,
});
export const registrationResponse = z.strictObject({
  mode: z.enum(['first-user', 'open', 'closed']).describe('The setting `REGISTRATION`.'),
  is_open: z.boolean().describe('Whether registration is open now.'),
  is_empty: z.boolean().describe('Whether no account exists yet. The first account becomes the operator.'),
});
export const loginResponse = z.strictObject({
  user: userView, organizations: z.array(organizationView), ...sessionView.shape,
});
export const meResponse = z.strictObject({
  user: userView, organizations: z.array(organizationView), projects: z.array(ownProjectView),
});
const ownSessionView = z.strictObject({
  id: text, is_current: z.boolean().describe('Whether this is the session of the request.'),
  created_at: instant, expires_at: instant,
}).meta({ id: 'Session' });
export const sessionsResponse = z.strictObject({ sessions: z.array(ownSessionView) });
export const changePasswordResponse = z.strictObject({ message: text, ...sessionView.shape });

const apiKeyView = z.strictObject({
  id, name: text, key_preview: text, scope: keyScope, created_at: instant, last_used_at: instant.nullable(),
  expires_at: instant.nullable(), project_ids: z.array(id).nullable(),
}).meta({ id: 'ApiKey' });
export const freshApiKeyView = apiKeyView
  .extend({ key: text.regex(/^fw_[0-9a-f]{64}$/), message: text })
  .meta({ id: 'FreshApiKey' });
export const apiKeysResponse = z.strictObject({
  keys: z.array(apiKeyView), total_count: z.int(), limit: z.int(), offset: z.int(), has_more: z.boolean(),
});

export const projectResponse = z.strictObject({ project: projectView });
export const projectsResponse = z.strictObject({ projects: z.array(projectView) });
const projectMemberView = z.strictObject({
  user_id: id, email: text, name: text, role: projectRole, organization_role: organizationRole,
}).meta({ id: 'ProjectMember' });
export const projectMembersResponse = z.strictObject({ members: z.array(projectMemberView) });

export const organizationResponse = z.strictObject({ organization: organizationView });
const memberView = z.strictObject({
  user_id: id, email: text, name: text, role: organizationRole, project_roles: projectRoles,
  joined_at: instant,
}).meta({ id: 'Member' });
export const memberResponse = z.strictObject({ member: memberView });
export const memberRemovedResponse = z.strictObject({
  message: text,
  revoked: z.strictObject({ api_keys: z.int(), subscriptions: z.int(), enrolment_keys: z.int() })
    .describe('How many credentials were revoked; zeros without `revoke_credentials`.'),
});
const namedCredential = z.strictObject({ id, name: text, created_at: instant });
export const memberCredentialsResponse = z.strictObject({
  api_keys: z.array(apiKeyView), subscriptions: z.array(namedCredential),
  enrolment_keys: z.array(namedCredential),
});
export const membersResponse = z.strictObject({ members: z.array(memberView) });
const invitationView = z.strictObject({
  id, email: text, role: organizationRole, project_roles: projectRoles, invited_by: id,
  is_expired: z.boolean(), created_at: instant, expires_at: instant,
}).meta({ id: 'Invitation' });
export const invitationResponse = z.strictObject({ invitation: invitationView });
export const openInvitationResponse = z.strictObject({
  invitation: z.strictObject({
    email: text, organization: z.strictObject({ id, name: text }),
    has_account: z.boolean().describe('Whether the address already has an account, whose password is then required.'),
  }).meta({ id: 'OpenInvitation' }),
});
export const invitationsResponse = z.strictObject({ invitations: z.array(invitationView) });
export const billingResponse = z.strictObject({
  plan, limits: planLimits,
  can_change_plan: z.boolean().describe('Whether the caller may change the plan; see `PLAN_CHANGES`.'),
  usage: z.strictObject({
    monitors: z.int(), projects: z.int(), status_pages: z.int(), regions: z.int(), probes: z.int(),
    subscriptions: z.int(), event_streams: z.int(),
  }),
}).meta({ id: 'Billing' });
