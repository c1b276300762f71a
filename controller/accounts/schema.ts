import { z } from 'zod';
import { queryInt } from '../http/params.ts';
import { oneLine } from '../http/text.ts';
import { PLAN_NAMES } from '../plans/plans.ts';

/** An address of one mailbox, in lower case. Deliberately narrow: no quotes, comments or lists. */
export const emailAddress = z
  .string()
  .trim()
  .max(254)
  .regex(/^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)*[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/, 'Must be an e-mail address')
  .transform((email) => email.toLowerCase());

const password = z.string().min(10, 'Password must be at least 10 characters').max(200, 'Password must be at most 200 characters');
/** One that exists may be of any form; the bound keeps the hash from being fed megabytes. */
const givenPassword = z.string().min(1).max(1000);

export const registerInput = z.strictObject({ email: emailAddress, password, name: oneLine(1, 100), organization_name: oneLine(1, 100).optional() });
export const loginInput = z.strictObject({ email: emailAddress, password: givenPassword });
export const changePasswordInput = z.strictObject({ current_password: givenPassword, new_password: password });
export const projectInput = z.strictObject({ name: oneLine(1, 100) });
export const apiKeyInput = z.strictObject({ name: oneLine(1, 100), scope: z.enum(['read', 'read_write']).default('read') });
export const apiKeyQuery = z.strictObject({
  limit: queryInt({ min: 1, max: 100, fallback: 20 }),
  offset: queryInt({ min: 0, fallback: 0 }),
  sort_by: z.enum(['created_at', 'name', 'last_used_at']).default('created_at'),
  sort_order: z.enum(['asc', 'desc']).default('desc'),
});

export type RegisterInput = z.infer<typeof registerInput>;
export type LoginInput = z.infer<typeof loginInput>;
export type ChangePasswordInput = z.infer<typeof changePasswordInput>;
export type ApiKeyInput = z.infer<typeof apiKeyInput>;
export type ApiKeyQuery = z.infer<typeof apiKeyQuery>;

const isoTime = z.iso.datetime();
const organizationRole = z.enum(['owner', 'admin', 'member', 'viewer']);
const projectRole = z.enum(['admin', 'editor', 'viewer']);

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
export const meAnswer = z.strictObject({ user: userView, organizations: z.array(organizationView), projects: z.array(projectView) });
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
