import { z } from 'zod';
import {
  instantInput, queryBoolean, queryInt, readOnlyFields, uuidParam, characters, singleLineText, trimmedPattern,
} from '../http/input/validation.ts';
import { PLAN_NAMES } from '../plans/plans.ts';

const LABEL = '[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?';
const ADDRESS = `[A-Za-z0-9.!#$%&'*+/=?^_\`{|}~-]{1,64}@(?:${LABEL}\\.)*${LABEL}`;

/** One email address, converted to lower case. Rejects quoted local parts, comments and lists on purpose. */
const emailAddress = z.string().trim().max(254)
  .regex(new RegExp(`^${ADDRESS}$`), 'Must be an email address')
  .transform((email) => email.toLowerCase()).meta({ pattern: trimmedPattern(ADDRESS) });

/** For new passwords. */
export const PASSWORD_RULE = characters(200, 'Password must be at most 200 characters')
  .refine((text) => [...text].length >= 10, 'Password must be at least 10 characters').meta({ minLength: 10 });
/** Existing passwords may predate the rule; the limit keeps huge inputs from being hashed. */
const anyPassword = characters(1000).min(1);

export const MAX_ORGANIZATION_NAME_LENGTH = 100;
const name = singleLineText(100);
const organizationName = singleLineText(MAX_ORGANIZATION_NAME_LENGTH).optional();

export const registerInput = z.strictObject({
  email: emailAddress, password: PASSWORD_RULE, name, organization_name: organizationName,
});
export const loginInput = z.strictObject({ email: emailAddress, password: anyPassword });
export const changePasswordInput = z.strictObject({
  current_password: anyPassword, new_password: PASSWORD_RULE,
});

/** Not restricted to valid ids, so that malformed and unknown ids get the same response. */
export const sessionParams = z.strictObject({ id: z.string().min(1).max(100) });

export const keyScope = z.enum(['read', 'read_write']);
export const apiKeyInput = z.strictObject({
  name, scope: keyScope.default('read'),
  expires_at: instantInput.nullable().default(null).describe('From then on, the key is refused.'),
  project_ids: z.array(uuidParam).min(1).max(100).nullable().default(null)
    .describe('The key reaches only these projects; null: all projects of the organization.'),
});
export const apiKeyQuery = z.strictObject({
  limit: queryInt({ min: 1, max: 100, fallback: 20 }),
  offset: queryInt({ min: 0, fallback: 0 }),
  sort_by: z.enum(['created_at', 'name', 'last_used_at']).default('created_at'),
  sort_order: z.enum(['asc', 'desc']).default('desc'),
});

/** Not restricted to valid tokens, so that malformed and used tokens get the same response. */
const token = characters(200).min(1);

export const emailInput = z.strictObject({ email: emailAddress });
export const tokenInput = z.strictObject({ token });
export const resetPasswordInput = z.strictObject({ token, password: PASSWORD_RULE });
export const acceptInvitationInput = z.strictObject({
  token, name: name.describe('For a new account').optional(),
  password: anyPassword.describe('The password of a new account, or that of the existing one'),
});

export const organizationRole = z.enum(['owner', 'admin', 'member', 'viewer']);
export const projectRole = z.enum(['admin', 'editor', 'viewer']);

const projectRoleList = z.array(z.strictObject({ project_id: uuidParam, role: projectRole })).max(1000)
  .refine((all) => new Set(all.map((one) => one.project_id)).size === all.length, 'Lists a project twice')
  .transform((all) => Object.fromEntries(all.map((one) => [one.project_id, one.role])));

export const invitationInput = z.strictObject({
  email: emailAddress, role: organizationRole,
  project_roles: z.union([z.record(uuidParam, projectRole), projectRoleList]).default({}),
});
export const memberParams = z.strictObject({ userId: uuidParam });
export const memberRemovalQuery = z.strictObject({
  revoke_credentials: queryBoolean.default(false)
    .describe('Also revoke the API keys, and delete the subscriptions and enrolment keys, that they created.'),
});
export const memberChangeInput = z.strictObject({
  role: organizationRole.optional(),
  ...readOnlyFields('user_id', 'email', 'name', 'project_roles', 'joined_at'),
});
export const organizationChangeInput = z.strictObject({
  name: organizationName, ...readOnlyFields('id', 'role', 'plan'),
});
export const planInput = z.strictObject({
  plan: z.enum(PLAN_NAMES), ...readOnlyFields('limits', 'usage', 'can_change_plan'),
});
export const projectInput = z.strictObject({ name });
export const projectChangeInput = z.strictObject({
  name: name.optional(), ...readOnlyFields('id', 'is_default', 'organization_id', 'role', 'created_at'),
});
export const projectMembersInput = z.strictObject({
  members: z.array(z.strictObject({
    user_id: uuidParam, role: projectRole, ...readOnlyFields('email', 'name', 'organization_role'),
  })).max(1000),
});

export type RegisterInput = z.infer<typeof registerInput>;
export type LoginInput = z.infer<typeof loginInput>;
export type ChangePasswordInput = z.infer<typeof changePasswordInput>;
export type ApiKeyInput = z.infer<typeof apiKeyInput>;
export type ApiKeyListQuery = z.infer<typeof apiKeyQuery>;
export type AcceptInvitationInput = z.infer<typeof acceptInvitationInput>;
export type InvitationInput = z.infer<typeof invitationInput>;
export type ProjectMembersInput = z.infer<typeof projectMembersInput>;
