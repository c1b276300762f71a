import { z } from 'zod';
import { oneLine, queryInt, readOnlyFields, uuidParam } from '../http/params.ts';
import { PLAN_NAMES, planLimits } from '../plans/plans.ts';

/** An address of one mailbox, in lower case. Deliberately narrow: no quotes, comments or lists. */
export const emailAddress = z
  .string()
  .trim()
  .max(254)
  .regex(/^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)*[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/, 'Must be an e-mail address')
  .transform((email) => email.toLowerCase());

/** What a new password has to keep. */
export const PASSWORD_RULE = z.string().min(10, 'Password must be at least 10 characters').max(200, 'Password must be at most 200 characters');
/** One that exists may be of any form; the bound keeps the hash from being fed megabytes. */
const givenPassword = z.string().min(1).max(1000);

export const LONGEST_ORGANIZATION_NAME = 100;
const organizationName = oneLine(1, LONGEST_ORGANIZATION_NAME).optional();

export const registerInput = z.strictObject({
  email: emailAddress, password: PASSWORD_RULE, name: oneLine(1, 100), organization_name: organizationName,
});
export const loginInput = z.strictObject({ email: emailAddress, password: givenPassword });
export const changePasswordInput = z.strictObject({ current_password: givenPassword, new_password: PASSWORD_RULE });
export const projectInput = z.strictObject({ name: oneLine(1, 100) });
export const apiKeyInput = z.strictObject({ name: oneLine(1, 100), scope: z.enum(['read', 'read_write']).default('read') });
export const apiKeyQuery = z.strictObject({
  limit: queryInt({ min: 1, max: 100, fallback: 20 }),
  offset: queryInt({ min: 0, fallback: 0 }),
  sort_by: z.enum(['created_at', 'name', 'last_used_at']).default('created_at'),
  sort_order: z.enum(['asc', 'desc']).default('desc'),
});

/** Of any form: what is no token of ours is as unknown as one that was used. */
const token = z.string().min(1).max(200);

export const emailInput = z.strictObject({ email: emailAddress });
export const tokenInput = z.strictObject({ token });
export const resetPasswordInput = z.strictObject({ token, password: PASSWORD_RULE });
export const acceptInvitationInput = z.strictObject({
  token, name: oneLine(1, 100).describe('For a new account').optional(), password: givenPassword.describe('The password of a new account, or that of the existing one'),
});

const organizationRole = z.enum(['owner', 'admin', 'member', 'viewer']);
const projectRole = z.enum(['admin', 'editor', 'viewer']);

/** By project; also as a list of `{project_id, role}`. */
const projectRoles = z.union([
  z.record(uuidParam, projectRole),
  z.array(z.strictObject({ project_id: uuidParam, role: projectRole })).max(1000)
    .refine((all) => new Set(all.map((one) => one.project_id)).size === all.length, 'Names a project twice')
    .transform((all) => Object.fromEntries(all.map((one) => [one.project_id, one.role]))),
]);

export const invitationInput = z.strictObject({ email: emailAddress, role: organizationRole, project_roles: projectRoles.default({}) });
export const memberChangeInput = z.strictObject({
  role: organizationRole.optional(), ...readOnlyFields('user_id', 'email', 'name', 'project_roles', 'joined_at'),
});
export const organizationChangeInput = z.strictObject({ name: organizationName, ...readOnlyFields('id', 'role', 'plan') });
export const projectChangeInput = z.strictObject({
  name: oneLine(1, 100).optional(), ...readOnlyFields('id', 'is_default', 'organization_id', 'role', 'created_at'),
});
export const projectMembersInput = z.strictObject({
  members: z.array(z.strictObject({ user_id: uuidParam, role: projectRole, ...readOnlyFields('email', 'name', 'organization_role') })).max(1000),
});
export const planInput = z.strictObject({ plan: z.enum(PLAN_NAMES), ...readOnlyFields('limits', 'usage') });
export const memberParams = z.strictObject({ userId: uuidParam });

export type AcceptInvitationInput = z.infer<typeof acceptInvitationInput>;
export type InvitationInput = z.infer<typeof invitationInput>;
export type ProjectMembersInput = z.infer<typeof projectMembersInput>;
export type RegisterInput = z.infer<typeof registerInput>;
export type LoginInput = z.infer<typeof loginInput>;
export type ChangePasswordInput = z.infer<typeof changePasswordInput>;
export type ApiKeyInput = z.infer<typeof apiKeyInput>;
export type ApiKeyQuery = z.infer<typeof apiKeyQuery>;

const isoTime = z.iso.datetime();

export const userView = z.strictObject({
  id: z.uuid(), email: z.string(), name: z.string(), email_verified: z.boolean(), is_operator: z.boolean(), created_at: isoTime,
});
export const organizationView = z.strictObject({ id: z.uuid(), name: z.string(), role: organizationRole, plan: z.enum(PLAN_NAMES) });
export const projectView = z.strictObject({
  id: z.uuid(), name: z.string(), is_default: z.boolean(), organization_id: z.uuid(), role: projectRole, created_at: isoTime,
});

const session = { token: z.string(), expires_at: isoTime };
export const registerAnswer = z.strictObject({ user: userView, organization: organizationView, project: projectView, ...session });
export const loginAnswer = z.strictObject({ user: userView, organizations: z.array(organizationView), ...session });
export const ownProjectView = projectView.omit({ created_at: true });
export const meAnswer = z.strictObject({ user: userView, organizations: z.array(organizationView), projects: z.array(ownProjectView) });
export const messageAnswer = z.strictObject({ message: z.string() });
export const changePasswordAnswer = z.strictObject({ message: z.string(), ...session });
export const projectAnswer = z.strictObject({ project: projectView });
export const projectsAnswer = z.strictObject({ projects: z.array(projectView) });

const key = {
  id: z.uuid(), name: z.string(), key_preview: z.string(), scope: z.enum(['read', 'read_write']), created_at: isoTime, last_used_at: isoTime.nullable(),
};
export const apiKeyView = z.strictObject(key);
export const freshApiKeyView = z.strictObject({ ...key, key: z.string().regex(/^fw_[0-9a-f]{64}$/), message: z.string() });
export const apiKeysAnswer = z.strictObject({
  keys: z.array(apiKeyView), total_count: z.int(), limit: z.int(), offset: z.int(), has_more: z.boolean(),
});

export const organizationAnswer = z.strictObject({ organization: organizationView });
export const memberView = z.strictObject({
  user_id: z.uuid(), email: z.string(), name: z.string(), role: organizationRole, project_roles: z.record(z.string(), projectRole), joined_at: isoTime,
});
export const memberAnswer = z.strictObject({ member: memberView });
export const membersAnswer = z.strictObject({ members: z.array(memberView) });
export const projectMembersAnswer = z.strictObject({
  members: z.array(z.strictObject({ user_id: z.uuid(), email: z.string(), name: z.string(), role: projectRole, organization_role: organizationRole })),
});
export const invitationView = z.strictObject({
  id: z.uuid(), email: z.string(), role: organizationRole, project_roles: z.record(z.string(), projectRole), invited_by: z.uuid(),
  is_expired: z.boolean(), created_at: isoTime, expires_at: isoTime,
});
export const invitationAnswer = z.strictObject({ invitation: invitationView });
export const invitationsAnswer = z.strictObject({ invitations: z.array(invitationView) });
export const billingAnswer = z.strictObject({
  plan: z.enum(PLAN_NAMES), limits: planLimits, usage: z.strictObject({ monitors: z.int(), projects: z.int(), status_pages: z.int() }),
});
